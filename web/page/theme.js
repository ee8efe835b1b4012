// Light or dark: as the system says, unless somebody chose.

const KEPT = "posetta-theme";
const THEMES = ["auto", "light", "dark"];

/**
 * @param {HTMLElement} button
 * @param {(theme: string) => void} onChange
 */
export function makeTheme(button, onChange) {
  const kept = window.localStorage.getItem(KEPT);
  let theme = kept !== null && THEMES.includes(kept) ? kept : "auto";
  const show = () => {
    if (theme === "auto") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.setAttribute("data-theme", theme);
    button.textContent = `Theme: ${theme}`;
    onChange(theme);
  };
  button.addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    window.localStorage.setItem(KEPT, theme);
    show();
  });
  show();
}

/** The theme that was chosen. */
export function chosenTheme() {
  return document.documentElement.getAttribute("data-theme") ?? "auto";
}
