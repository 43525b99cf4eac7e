/** Profile charts: a calendar of days, a histogram of winning times, and the monthly share of won games. */

import { all, part } from "../shared/dom.js";
import { language, t, tn } from "../shared/i18n.js";
import { requestJson } from "../shared/request.js";
import { clockText, durationText } from "../shared/times.js";

const SVG = "http://www.w3.org/2000/svg";
const DAY = 86400000;
const WEEKS = 53;

/** @param {number} share 0 to 1 @returns {string} as a whole percentage */
const percent = (share) =>
  new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 }).format(share);

/**
 * @typedef {object} Play
 * @property {string} day
 * @property {boolean} won
 * @property {number} elapsed_ms
 */

/** @param {string} name @param {Record<string, string|number>} attributes @param {string} [text] */
export function node(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text !== undefined) element.textContent = text;
  return element;
}

/**
 * @param {string} title
 * @param {string} summary
 * @param {string} box
 * @param {SVGElement[]} parts
 * @param {string} [className]
 */
export function figure(title, summary, box, parts, className = "") {
  const svg = node("svg", { viewBox: box, role: "img", "aria-label": summary });
  svg.append(...parts);
  return part("figure", className, part("figcaption", "", title), svg);
}

/** @param {Play[]} plays */
function calendar(plays) {
  /** @type {Map<string, boolean>} */
  const days = new Map();
  for (const { day, won } of plays) days.set(day, won || days.get(day) === true);
  const today = new Date();
  const end = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate());
  const weekday = (new Date(end).getUTCDay() + 6) % 7;
  const first = end - ((WEEKS - 1) * 7 + weekday) * DAY;
  const parts = [];
  const dated = (/** @type {number} */ at, /** @type {Intl.DateTimeFormatOptions} */ form) =>
    new Date(at).toLocaleDateString(language, { ...form, timeZone: "UTC" });
  for (let at = first; at <= end; at += DAY) {
    const k = Math.round((at - first) / DAY);
    const key = new Date(at).toISOString().slice(0, 10);
    const state = days.get(key);
    const cell = node("rect", {
      x: Math.floor(k / 7) * 13,
      y: (k % 7) * 13 + 14,
      width: 11,
      height: 11,
      rx: 2.5,
      class: `cell${state === undefined ? "" : state ? " won" : " played"}`,
    });
    cell.append(node("title", {}, dated(at, { dateStyle: "long" })));
    parts.push(cell);
    if (key.endsWith("-01"))
      parts.push(node("text", { x: Math.floor(k / 7) * 13, y: 9 }, dated(at, { month: "short" })));
  }
  const won = [...days.values()].filter(Boolean).length;
  return figure(
    t("The last year"),
    tn("one day played, {won} of them with a win", "{n} days played, {won} of them with a win", days.size, { won }),
    `0 0 ${WEEKS * 13} 106`,
    parts,
    "calendar",
  );
}

/** @param {Play[]} plays */
function times(plays) {
  const minutes = plays.filter(({ won }) => won).map(({ elapsed_ms }) => elapsed_ms / 60000);
  const width = Math.max(1, Math.ceil(Math.max(...minutes) / 10));
  const bins = Array(10).fill(0);
  for (const value of minutes) bins[Math.min(9, Math.floor(value / width))] += 1;
  const highest = Math.max(...bins);
  const parts = bins.flatMap((count, k) => {
    const height = (count / highest) * 100;
    return [
      node("rect", { x: k * 32 + 2, y: 110 - height, width: 28, height: Math.max(height, 1), rx: 3, class: "bar" }),
      node("text", { x: k * 32 + 2, y: 124 }, clockText(k * width * 60000).replace(/:00$/, "′")),
    ];
  });
  return figure(
    t("Times of won games"),
    tn("one won game of {least}", "{n} won games between {least} and {most}", minutes.length, {
      least: durationText(Math.min(...minutes) * 60000),
      most: durationText(Math.max(...minutes) * 60000),
    }),
    "0 0 320 130",
    parts,
  );
}

/** @param {Play[]} plays */
function rate(plays) {
  const size = 20;
  const points = plays.map((_, k) => {
    const window = plays.slice(Math.max(0, k + 1 - size), k + 1);
    return window.filter(({ won }) => won).length / window.length;
  });
  const x = (/** @type {number} */ k) => (points.length > 1 ? (k / (points.length - 1)) * 290 : 145) + 28;
  const parts = [0, 0.5, 1].flatMap((share) => [
    node("path", { d: `M28 ${110 - share * 100}H318`, class: "axis" }),
    node("text", { x: 0, y: 113 - share * 100 }, percent(share)),
  ]);
  parts.push(
    node("path", {
      d: points.map((share, k) => `${k ? "L" : "M"}${x(k).toFixed(1)} ${(110 - share * 100).toFixed(1)}`).join(""),
      class: "line",
    }),
  );
  return figure(
    t("Win rate, over twenty games"),
    t("now {share}", { share: percent(points.at(-1) ?? 0) }),
    "0 0 320 130",
    parts,
  );
}

export async function drawCharts() {
  for (const box of all(".chart[data-history]")) {
    /** @type {{plays: Play[]}} */
    const { plays } = await requestJson(box.dataset.history);
    if (plays.length === 0) continue;
    const year = calendar(plays);
    box.append(year);
    // On a phone, the latest months are shown first.
    if (year.scrollWidth > year.clientWidth) {
      year.tabIndex = 0;
      year.scrollLeft = year.scrollWidth;
    }
    if (plays.length > 1) box.append(rate(plays));
    if (plays.some(({ won }) => won)) box.append(times(plays));
  }
}
