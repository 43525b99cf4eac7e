/**
 * Lazy loading of modules that the first cards do not need. In production, each dynamically imported module is a file
 * of its own (see config/assets/bundler.py); in development it is loaded unchanged.
 */

import { t } from "./i18n.js";
import { notice } from "./notice.js";

/** Substitute for idle time in browsers that do not report it, in ms. */
const SOON = 1000;

/**
 * Loads a module once, and calls `use` with it. Calls for one module keep their order.
 * @template M @param {() => Promise<M>} load imports the module
 * @param {(module: M) => void} use
 * @param {() => void} [failed] called if it cannot be loaded
 */
export const lazily = (load, use, failed = lost) => load().then(use, failed);

/** @type {Map<string, Promise<void>>} */
const sheets = new Map();

/** Loads a lazy module's style sheet once. @param {string} address */
export function loadStyles(address) {
  const coming =
    sheets.get(address) ??
    new Promise((resolve) => {
      const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: address });
      link.onload = () => resolve();
      // Without its styles a module does what it can; the next use tries again.
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

/** Resolves when the last drawing is on the screen, or at once if the page is hidden. @returns {Promise<void>} */
export const painted = () =>
  new Promise((resolve) => {
    if (document.hidden) resolve();
    else requestAnimationFrame(() => setTimeout(resolve));
  });

/** Prefetches a module in idle time. @param {() => Promise<unknown>} load */
export function prefetch(load) {
  // After a failure, the module is loaded when it is needed.
  const begin = () => load().catch(() => {});
  // Not every browser reports idle time.
  if ("requestIdleCallback" in window) requestIdleCallback(begin);
  else setTimeout(begin, SOON);
}

/** The connection is down, or the site has been updated in the meantime. */
const lost = () => notice(t("Something went wrong. Please reload the page."));
