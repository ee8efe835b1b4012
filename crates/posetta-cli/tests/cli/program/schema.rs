//! Reports against their schemas in docs/schema.
//!
//! A validator of the part of JSON Schema (draft 2020-12) that they use; another word in them is an error. It is stricter than the standard
//! in one point: an object has only the fields that its schema lists, so that every field is described.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

/// Checks a report, or lines of them, by what each says that it is.
pub fn check(text: &str) {
    let reports: Vec<Value> = match serde_json::from_str(text) {
        Ok(report) => vec![report],
        Err(_) => text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect(),
    };
    let schemas = Schemas::read();
    for report in &reports {
        let sort = report["schema"].as_str().unwrap_or_else(|| panic!("no schema: {report}"));
        let name = sort.strip_prefix("posetta-").and_then(|s| s.strip_suffix("/1")).expect("posetta-SORT/1");
        if let Err(why) = schemas.check(report, &schemas.0[name], name, "") {
            panic!("docs/schema/{name}.json: {why}: {report}");
        }
    }
}

/// All of them, by name.
struct Schemas(BTreeMap<String, Value>);

impl Schemas {
    fn read() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
        let mut all = BTreeMap::new();
        for file in std::fs::read_dir(folder).expect("docs/schema") {
            let path = file.expect("a file").path();
            let text = std::fs::read_to_string(&path).expect("a schema");
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            all.insert(name, serde_json::from_str(&text).expect("JSON"));
        }
        Self(all)
    }

    /// `file` is the schema's own, `at` the place in the report.
    fn check(&self, value: &Value, schema: &Value, file: &str, at: &str) -> Result<(), String> {
        let schema = schema.as_object().ok_or("a schema is an object")?;
        for (word, own) in schema {
            match word.as_str() {
                "$schema" | "$defs" | "title" | "description" | "required" | "items" => {}
                "$ref" => {
                    let (other, place) = own.as_str().and_then(|r| r.split_once('#')).ok_or("a reference")?;
                    let file = if other.is_empty() { file } else { other.trim_end_matches(".json") };
                    let target = self.0.get(file).and_then(|s| s.pointer(place));
                    let target = target.ok_or_else(|| format!("`{own}` leads nowhere"))?;
                    self.check(value, target, file, at)?;
                }
                "type" => {
                    let is = |name: &Value| name.as_str().is_some_and(|name| is_of(value, name));
                    if !own.as_array().map_or_else(|| is(own), |all| all.iter().any(is)) {
                        return Err(format!("{at} is not {own}"));
                    }
                }
                "const" if own == value => {}
                "enum" if own.as_array().is_some_and(|all| all.contains(value)) => {}
                "const" | "enum" => return Err(format!("{at} is not {own}")),
                "minimum" => {
                    if value.as_f64().is_some_and(|n| n < own.as_f64().unwrap_or(0.0)) {
                        return Err(format!("{at} is less than {own}"));
                    }
                }
                "anyOf" => {
                    let all = own.as_array().ok_or("a list")?;
                    let failures: Vec<String> =
                        all.iter().filter_map(|one| self.check(value, one, file, at).err()).collect();
                    if failures.len() == all.len() {
                        return Err(failures.join("; or "));
                    }
                }
                "properties" | "additionalProperties" => {}
                other => return Err(format!("`{other}` is not read here")),
            }
        }
        if let (Some(items), Some(all)) = (schema.get("items"), value.as_array()) {
            for (i, one) in all.iter().enumerate() {
                self.check(one, items, file, &format!("{at}[{i}]"))?;
            }
        }
        if let Some(object) = value.as_object() {
            self.fields(object, schema, file, at)?;
        }
        Ok(())
    }

    fn fields(
        &self,
        object: &serde_json::Map<String, Value>,
        schema: &serde_json::Map<String, Value>,
        file: &str,
        at: &str,
    ) -> Result<(), String> {
        for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
            if !object.contains_key(name.as_str().unwrap_or_default()) {
                return Err(format!("{at} lacks {name}"));
            }
        }
        let listed = schema.get("properties").and_then(Value::as_object);
        for (name, value) in object {
            let at = format!("{at}.{name}");
            match (listed.and_then(|l| l.get(name)), schema.get("additionalProperties")) {
                (Some(own), _) | (None, Some(own)) => self.check(value, own, file, &at)?,
                (None, None) if listed.is_some() => return Err(format!("{at} is not described")),
                (None, None) => {}
            }
        }
        Ok(())
    }
}

fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}
