// Everything that is tested in a browser, in one process with one browser: starting one takes longer than most of the tests.
//
// One subject alone: node --test web/e2e/viewer.js

import "./viewer.js";
import "./show.js";
import "./serve.js";
