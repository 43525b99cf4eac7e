/**
 * The client's words: English text is the key, and a page in another language loads its catalogue before its modules
 * (see docs/translations.md). Literals given to these functions are what the catalogues are made from.
 */

/**
 * @typedef {object} Catalogue
 * @property {(n: number) => number} plural which form of a counted text fits a number
 * @property {string} point the decimal separator: a browser's first look into a language's forms takes some 15 ms
 * @property {Record<string, string | string[]>} texts a text with a context is found under both, U+0004 between them
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
 * The text in the page's language, with `{name}` places filled in.
 * @param {string} text @param {Values} [values]
 * @returns {string}
 */
export const t = (text, values = {}) => filled(String(catalogue.texts[text] ?? text), values);

/**
 * A text that other languages say in more than one way: the context tells which is meant.
 * @param {string} context @param {string} text @param {Values} [values]
 * @returns {string}
 */
export const tc = (context, text, values = {}) =>
  filled(String(catalogue.texts[`${context}\u0004${text}`] ?? text), values);

/**
 * A text with a number in it, which fills the place `{n}`.
 * @param {string} one @param {string} more @param {number} n @param {Values} [values]
 * @returns {string}
 */
export function tn(one, more, n, values = {}) {
  const forms = catalogue.texts[one];
  const form = Array.isArray(forms) ? forms[catalogue.plural(n)] : n === 1 ? one : more;
  return filled(form, { n, ...values });
}

/**
 * Names a text with its context where it stands in a table; `tc` looks it up.
 * @param {string} context @param {string} text @returns {[string, string]}
 */
export const marked = (context, text) => [context, text];

/** @param {number} share 0 to 1 @returns {string} in whole per cent */
export const percent = (share) =>
  new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 }).format(share);
