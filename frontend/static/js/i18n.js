/** The client's string catalogue: English text is the key; a page in another language loads its catalogue first. */

/** @type {Record<string, string>} */
const catalogue = /** @type {any} */ (globalThis).talonCatalogue ?? {};

/**
 * The text in the page's language, with `{name}` places filled in.
 * @param {string} text
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function t(text, values = {}) {
  const found = catalogue[text] ?? text;
  return found.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}
