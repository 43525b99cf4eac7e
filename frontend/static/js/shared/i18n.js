/**
 * Translation of the client's texts. The English text is the key, and a page in another language loads its catalogue
 * before its modules (see docs/translations.md). String literals passed to these functions are collected for the
 * catalogues.
 */

/**
 * @typedef {object} Catalogue
 * @property {(n: number) => number} plural index of the plural form for a number
 * @property {string} point the decimal separator, as a browser's first `Intl` lookup takes some 15 ms
 * @property {Record<string, string | string[]>} texts by text, or by context and text with U+0004 between them
 *
 * @typedef {Record<string, string | number>} Values
 */

/** @type {Catalogue} */
const catalogue = /** @type {any} */ (globalThis).talonCatalogue ?? {
  plural: (n) => Number(n !== 1),
  point: ".",
  texts: {},
};

/** The page's language, for Intl. */
export const language = document.documentElement.lang || "en-gb";

/** The decimal separator. */
export const point = catalogue.point;

/** @param {string} text @param {Values} values @returns {string} */
const filled = (text, values) =>
  text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));

/**
 * Translates a text and fills its `{name}` placeholders.
 * @param {string} text @param {Values} [values]
 * @returns {string}
 */
export const t = (text, values = {}) => filled(String(catalogue.texts[text] ?? text), values);

/**
 * Translates a text whose meaning depends on the context.
 * @param {string} context @param {string} text @param {Values} [values]
 * @returns {string}
 */
export const tc = (context, text, values = {}) =>
  filled(String(catalogue.texts[`${context}\u0004${text}`] ?? text), values);

/**
 * Translates a text with a number, which fills the placeholder `{n}`.
 * @param {string} one @param {string} more @param {number} n @param {Values} [values]
 * @returns {string}
 */
export function tn(one, more, n, values = {}) {
  const forms = catalogue.texts[one];
  const form = Array.isArray(forms) ? forms[catalogue.plural(n)] : n === 1 ? one : more;
  return filled(form, { n, ...values });
}

/**
 * Marks a text and its context for translation where it is part of a table; `tc` translates it.
 * @param {string} context @param {string} text @returns {[string, string]}
 */
export const marked = (context, text) => [context, text];
