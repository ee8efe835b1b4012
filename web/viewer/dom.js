// Elements without markup: all text of a picture goes through `textContent`, so nothing in it can become an element or a script.

/**
 * An element with attributes, listeners (`onclick`) and children. Strings become text.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number | boolean | null | ((event: any) => void)>} [attributes]
 * @param {...(Node | string | null)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  for (const child of children) {
    if (child !== null) element.append(child);
  }
  return element;
}

/**
 * The same for an element of an SVG picture.
 *
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number | boolean | null | ((event: any) => void)>} [attributes]
 * @param {...(Node | string | null)} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function makeSvg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAttributes(element, attributes);
  for (const child of children) {
    if (child !== null) element.append(child);
  }
  return element;
}

/**
 * @param {Element} element
 * @param {Record<string, string | number | boolean | null | ((event: any) => void)>} attributes
 */
function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      element.addEventListener(name.slice(2), value);
    } else if (value !== null && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

/**
 * A number as people write it: 100,000.
 *
 * @param {number} value
 */
export function grouped(value) {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/**
 * `1 event`, `2 events`.
 *
 * @param {number} count
 * @param {string} noun
 */
export function counted(count, noun) {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}
