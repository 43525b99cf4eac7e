/**
 * What the first cards do not need comes when it is wanted: the one way to load it. In production each module that is
 * imported within the code is a file of its own (see config/joining.py); in development it is loaded as it is.
 */

import { t } from "../i18n.js";
import { notice } from "./hud.js";

/** What counts as idle where the browser does not tell, in ms. */
const SOON = 1000;

/**
 * Loads a module, once, and uses it. Uses of one module happen in their order.
 * @template M @param {() => Promise<M>} load imports the module
 * @param {(module: M) => void} use
 * @param {() => void} [failed] says that it cannot be had
 */
export const late = (load, use, failed = lost) => load().then(use, failed);

/** @type {Map<string, Promise<void>>} */
const sheets = new Map();

/** Loads a style sheet that belongs to a late module, once. @param {string} address */
export function styles(address) {
  const coming =
    sheets.get(address) ??
    new Promise((resolve) => {
      const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: address });
      link.onload = () => resolve();
      // Without its styles a module does what it can; who wants them next tries again.
      link.onerror = () => {
        sheets.delete(address);
        link.remove();
        resolve();
      };
      document.head.append(link);
    });
  sheets.set(address, coming);
  return coming;
}

/**
 * Resolves when what has just been drawn is on the screen; at once where nobody looks at it.
 * @returns {Promise<void>}
 */
export const painted = () =>
  new Promise((resolve) => {
    if (document.hidden) resolve();
    else requestAnimationFrame(() => setTimeout(resolve));
  });

/** Loads a module that will soon be wanted, while nothing else is to be done. @param {() => Promise<unknown>} load */
export function ahead(load) {
  // Without a line it is tried again when it is wanted.
  const begin = () => load().catch(() => {});
  // Not every browser tells when it is idle.
  if ("requestIdleCallback" in window) requestIdleCallback(begin);
  else setTimeout(begin, SOON);
}

/** The line is down, or the site has been updated meanwhile. */
const lost = () => notice(t("Something went wrong. Please reload the page."));
