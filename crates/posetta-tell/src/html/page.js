// What a page made by `posetta show` or `--report html` does when it is opened: puts the viewer where a drawing is.

/** A page has one picture that is shown at once, or drawings with a button each. */
function startPage() {
  const data = document.getElementById("picture");
  const root = document.getElementById("viewer");
  if (data !== null && root !== null) mount(root, JSON.parse(data.textContent ?? "null"), {});
  for (const button of document.querySelectorAll("button[data-picture]")) {
    button.removeAttribute("hidden");
    button.addEventListener("click", () => explore(button));
  }
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
