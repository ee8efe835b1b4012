// Starts the viewer in a page that has its picture in it, as `posetta show` writes them.

import { mount } from "./viewer.js";

const embedded = document.getElementById("picture");
const place = document.getElementById("viewer");
if (embedded !== null && place !== null) mount(place, JSON.parse(embedded.textContent ?? "null"), {});
