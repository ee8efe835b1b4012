//! Properties, by themselves and in files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use posetta_base::Mistakes;
use posetta_files::properties;
use posetta_files::root::RootArgs;
use posetta_files::text::text;
use posetta_logic::{NoFile, View, read_props_with};
use posetta_tell::{BARE, Named, Problem, clocked, find_names, same_names};
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::errors::{bad_argument, invalid, invalid_in};
use crate::work::{Limits, long};

/// One property: a formula of LTL, CTL, PSL or M2L, or a pattern.
///
/// >>> from posetta import Property
/// >>> p = Property.ltl("G !(c0 == 1 && c1 == 1)", name="mutex")
/// >>> p.name, p.logic, p.over
/// ('mutex', 'ltl', 'states')
/// >>> Property.ltl("absence(event(fill)) after event(invalidate)").formula
/// '!event(invalidate) W (event(invalidate) && G !event(fill))'
#[pyclass(frozen, module = "posetta", from_py_object)]
#[derive(Clone)]
pub struct Property(pub Arc<Named>);

/// Some properties, in the order in which they were written.
///
/// >>> from posetta import Spec
/// >>> spec = Spec.parse("property safe = ltl G x < 2\nproperty reach = ctl EF x == 1\n")
/// >>> [p.name for p in spec]
/// ['safe', 'reach']
#[pyclass(frozen, sequence, module = "posetta")]
pub struct Spec(pub Arc<Vec<Named>>);

fn view(over: &str) -> PyResult<View> {
    match over {
        "states" => Ok(View::States),
        "events" => Ok(View::Events),
        _ => Err(bad_argument(format!("over={over:?}: \"states\" or \"events\" is expected"))),
    }
}

fn made(
    py: Python<'_>,
    read: Result<posetta_logic::Property, Mistakes>,
    some: bool,
    name: Option<String>,
) -> PyResult<Property> {
    let mut property = read.map_err(|mistakes| invalid_in(py, BARE, mistakes.iter()))?;
    if some {
        property = property.some();
    }
    if name.is_some() {
        property.name = name;
    }
    Ok(Property(Arc::new(Named::new(BARE, property))))
}

#[pymethods]
impl Property {
    /// A formula of LTL, with past operators, or a pattern. `over` says what positions are: states (the start is one) or events. With
    /// `some`, one order that satisfies it is enough.
    #[staticmethod]
    #[pyo3(signature = (formula, *, over="states", some=false, name=None))]
    fn ltl(py: Python<'_>, formula: &str, over: &str, some: bool, name: Option<String>) -> PyResult<Self> {
        let view = view(over)?;
        made(py, parsed(py, || posetta_logic::Property::ltl_over(view, formula))?, some, name)
    }

    /// A formula of PSL.
    #[staticmethod]
    #[pyo3(signature = (formula, *, over="states", some=false, name=None))]
    fn psl(py: Python<'_>, formula: &str, over: &str, some: bool, name: Option<String>) -> PyResult<Self> {
        let view = view(over)?;
        made(py, parsed(py, || posetta_logic::Property::psl_over(view, formula))?, some, name)
    }

    /// A formula of M2L.
    #[staticmethod]
    #[pyo3(signature = (formula, *, over="states", some=false, name=None))]
    fn m2l(py: Python<'_>, formula: &str, over: &str, some: bool, name: Option<String>) -> PyResult<Self> {
        let view = view(over)?;
        made(py, parsed(py, || posetta_logic::Property::m2l_over(view, formula))?, some, name)
    }

    /// A formula of CTL over the global states of a run.
    #[staticmethod]
    #[pyo3(signature = (formula, *, name=None))]
    fn ctl(py: Python<'_>, formula: &str, name: Option<String>) -> PyResult<Self> {
        made(py, parsed(py, || posetta_logic::Property::ctl(formula))?, false, name)
    }

    /// Its name, or its formula if nobody gave it one.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// `ltl`, `ctl`, `psl`, `m2l` or `monitor`.
    #[getter]
    fn logic(&self) -> &'static str {
        self.0.logic()
    }

    /// `states` or `events` for a linear property.
    #[getter]
    fn over(&self) -> Option<&'static str> {
        self.0.over()
    }

    /// The formula, with patterns written out.
    #[getter]
    fn formula(&self) -> &str {
        &self.0.formula
    }

    /// Whether one order that satisfies it is enough.
    #[getter]
    fn some(&self) -> bool {
        self.0.asks_for_some()
    }

    /// The names of its variables.
    #[getter]
    fn variables(&self) -> Vec<String> {
        self.0.variables.clone()
    }

    fn __repr__(&self) -> String {
        let name = if self.0.has_name { format!("{}: ", self.0.name) } else { String::new() };
        format!("<Property {name}{} {}>", self.0.spelled_logic(), self.0.formula)
    }
}

/// Reads a formula, and lets no panic out.
fn parsed<T: Send>(py: Python<'_>, read: impl FnOnce() -> T + Send) -> PyResult<T> {
    crate::work::here(py, read)
}

#[pymethods]
impl Spec {
    /// Properties, specs and formulas of LTL, put together.
    #[new]
    #[pyo3(signature = (*properties))]
    fn new(py: Python<'_>, properties: &Bound<'_, PyTuple>) -> PyResult<Self> {
        Ok(Self(asked(py, properties.as_any())?))
    }

    /// The properties of a text, written as in a property file. It can import the library (`import "std/register"`), and no files.
    #[staticmethod]
    #[pyo3(signature = (text, *, file=BARE))]
    fn parse(py: Python<'_>, text: &str, file: &str) -> PyResult<Self> {
        let read = parsed(py, || {
            let mut none =
                |_: &str, _: &str| Err(NoFile::from("a text imports no files: write it to one, and use Spec.read"));
            read_props_with(file, text, &mut none)
        })?;
        let properties = read.map_err(|mistakes| {
            let all: Vec<Problem> = mistakes.into_iter().map(|m| Problem::in_text(&m.file, m.diagnostic)).collect();
            invalid(py, &all)
        })?;
        if properties.is_empty() {
            return Err(bad_argument("the text has no property: write one as `property NAME = ltl FORMULA`"));
        }
        Self::of(py, properties.into_iter().map(|property| named(file, property)).collect())
    }

    /// The properties of a file, with all that it imports: from its directory, or from `root`. A file in the HOA format is an automaton,
    /// whose positions are `over`.
    #[staticmethod]
    #[pyo3(signature = (path, *, root=None, over=None))]
    fn read(py: Python<'_>, path: PathBuf, root: Option<PathBuf>, over: Option<&str>) -> PyResult<Self> {
        let (roots, over) = (roots(root.as_deref())?, over.map(view).transpose()?);
        let file = path.display().to_string();
        let read = long(py, Limits::NONE, |_| {
            let text = text(&path).map_err(|d| vec![(None, d)])?;
            let spec = properties::spec(&path, &text, over, None, &roots)?;
            if spec.unread.is_empty() { Ok(spec.properties) } else { Err(spec.unread) }
        })?;
        let properties = read.map_err(|mistakes| {
            let problem = |(own, d): (Option<String>, _)| Problem::in_text(own.as_deref().unwrap_or(&file), d);
            invalid(py, &mistakes.into_iter().map(problem).collect::<Vec<_>>())
        })?;
        Self::of(py, properties.into_iter().map(|property| named(&file, property)).collect())
    }

    /// Only the properties with these names.
    #[pyo3(signature = (*names))]
    fn only(&self, py: Python<'_>, names: Vec<String>) -> PyResult<Self> {
        find_names(&names, self.0.iter().map(|own| own.name.as_str())).map_err(|problems| invalid(py, &problems))?;
        Ok(Self(Arc::new(self.0.iter().filter(|own| names.contains(&own.name)).cloned().collect())))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<Property> {
        let place = match key.cast::<PyString>() {
            Ok(name) => {
                let name = name.to_str()?;
                self.0.iter().position(|own| own.name == name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))?
            }
            Err(_) => place_of(key.extract()?, self.0.len())?,
        };
        Ok(Property(Arc::new(self.0[place].clone())))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let all = self.0.iter().map(|own| Property(Arc::new(own.clone())));
        PyList::new(py, all.map(|own| own.into_pyobject(py)).collect::<Result<Vec<_>, _>>()?)?.call_method0("__iter__")
    }

    fn __repr__(&self) -> String {
        let names: Vec<&str> = self.0.iter().map(|own| own.name.as_str()).collect();
        format!("<Spec {}>", names.join(", "))
    }
}

impl Spec {
    fn of(py: Python<'_>, all: Vec<Named>) -> PyResult<Self> {
        let mut problems = same_names(&all);
        problems.extend(clocked(&all));
        if problems.is_empty() { Ok(Self(Arc::new(all))) } else { Err(invalid(py, &problems)) }
    }
}

fn named(file: &str, property: posetta_logic::Property) -> Named {
    let from = property.file.as_deref().unwrap_or(file).to_owned();
    Named::new(&from, property)
}

/// Where files may lead.
pub fn roots(root: Option<&Path>) -> PyResult<RootArgs> {
    RootArgs::in_keywords(root).map_err(|why| bad_argument(format!("root={:?}: {why}", root.unwrap_or(Path::new("")))))
}

/// A place in a list, counted from its end if it is negative.
pub fn place_of(place: isize, len: usize) -> PyResult<usize> {
    let found = if place < 0 { len.checked_sub(place.unsigned_abs()) } else { usize::try_from(place).ok() };
    found.filter(|&found| found < len).ok_or_else(|| pyo3::exceptions::PyIndexError::new_err(place))
}

/// What is asked: a spec, a property, a formula of LTL, or several of these.
pub fn asked(py: Python<'_>, spec: &Bound<'_, PyAny>) -> PyResult<Arc<Vec<Named>>> {
    if let Ok(spec) = spec.cast::<Spec>() {
        return Ok(Arc::clone(&spec.get().0));
    }
    let mut all = Vec::new();
    gather(py, spec, &mut all, true)?;
    Ok(Spec::of(py, all)?.0)
}

/// With `several`, a list of them will do; one inside of a list will not, because lists can contain themselves.
fn gather(py: Python<'_>, spec: &Bound<'_, PyAny>, all: &mut Vec<Named>, several: bool) -> PyResult<()> {
    if let Ok(spec) = spec.cast::<Spec>() {
        all.extend(spec.get().0.iter().cloned());
    } else if let Ok(property) = spec.cast::<Property>() {
        all.push((*property.get().0).clone());
    } else if let Ok(formula) = spec.cast::<PyString>() {
        let formula = formula.to_str()?;
        let read = parsed(py, || posetta_logic::Property::ltl_over(View::States, formula))?;
        all.push((*made(py, read, false, None)?.0).clone());
    } else if let (true, Ok(parts)) = (several && !spec.is_instance_of::<PyDict>(), spec.try_iter()) {
        for part in parts {
            gather(py, &part?, all, false)?;
        }
    } else {
        let message = "properties are a Spec, a Property, a formula of LTL as a str, or several of these";
        return Err(PyTypeError::new_err(message));
    }
    Ok(())
}
