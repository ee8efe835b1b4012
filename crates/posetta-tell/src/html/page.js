// What a page made by `--report html` does when it is opened: each drawing has a button that puts the viewer in its place.

for (const button of document.querySelectorAll("button[data-picture]")) {
  button.removeAttribute("hidden");
  button.addEventListener("click", () => explore(button));
}

/** @param {Element} button */
function explore(button) {
  const [picture, result] = (button.getAttribute("data-picture") ?? "").split("/");
  const data = document.getElementById(picture);
  const place = button.parentElement?.querySelector("figure");
  if (data === null || !place) return;
  button.setAttribute("hidden", "");
  place.classList.add("explored");
  mount(place, JSON.parse(data.textContent ?? "null"), { result: Number(result) });
}
