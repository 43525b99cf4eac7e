/** Charts of a profile's ratings over time, in races and in puzzles. */

import { figure, node } from "./charts.js";
import { all } from "../shared/dom.js";
import { language, t, tn } from "../shared/i18n.js";
import { requestJson } from "../shared/request.js";

const [LEFT, RIGHT, TOP, BOTTOM] = [44, 474, 12, 150];
/** Charts with more changes than this show the line only. */
const DOTS = 40;

/** @typedef {{at: string, value: number}} Point */

/** The round values at the chart's grid lines. @param {number[]} values */
export function range(values) {
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const step = [20, 50, 100, 200, 500].find((size) => (max - min) / size <= 3) ?? 1000;
  const first = Math.floor(min / step) * step;
  const last = Math.max(first + step, Math.ceil(max / step) * step);
  return Array.from({ length: (last - first) / step + 1 }, (_, k) => first + k * step);
}

/** @param {string} at */
const day = (at) => new Date(at).toLocaleDateString(language, { dateStyle: "medium" });

/** @param {number} start the value before the first change @param {Point[]} points */
function chart(start, points) {
  const values = [start, ...points.map(({ value }) => value)];
  const ticks = range(values);
  const [min, max] = [ticks[0], ticks[ticks.length - 1]];
  const x = (/** @type {number} */ k) => (LEFT + (k * (RIGHT - LEFT)) / points.length).toFixed(1);
  const y = (/** @type {number} */ value) => (BOTTOM - ((value - min) / (max - min)) * (BOTTOM - TOP)).toFixed(1);
  const parts = ticks.flatMap((value) => [
    node("path", { d: `M${LEFT} ${y(value)}H${RIGHT}`, class: "axis" }),
    node("text", { x: 0, y: Number(y(value)) + 4 }, String(value)),
  ]);
  const line = values.map((value, k) => `${k ? "L" : "M"}${x(k)} ${y(value)}`).join("");
  parts.push(node("path", { d: line, class: "line" }));
  if (points.length <= DOTS)
    for (const [k, { at, value }] of points.entries()) {
      const dot = node("circle", { cx: x(k + 1), cy: y(value), r: 3.5, class: "dot" });
      dot.append(node("title", {}, `${day(at)}: ${value}`));
      parts.push(dot);
    }
  parts.push(node("text", { x: LEFT, y: 172 }, day(points[0].at)));
  if (points.length > 1)
    parts.push(node("text", { x: RIGHT, y: 172, "text-anchor": "end" }, day(points[points.length - 1].at)));
  return parts;
}

/** @param {number} first @param {Point[]} points @param {boolean} inPuzzles */
function summary(first, points, inPuzzles) {
  const values = [first, ...points.map(({ value }) => value)];
  const now = values[values.length - 1];
  const facts = { first, now, least: Math.min(...values), most: Math.max(...values) };
  const n = points.length;
  return inPuzzles
    ? tn("{now} after one puzzle", "{n} puzzles: from {first} to {now}, lowest {least}, highest {most}", n, facts)
    : tn("{now} after one race", "{n} races: from {first} to {now}, lowest {least}, highest {most}", n, facts);
}

export async function drawRating() {
  for (const box of all(".chart[data-ratings]")) {
    /** @type {{start: number, points: Point[]}} */
    const { start, points } = await requestJson(box.dataset.ratings);
    if (points.length === 0) continue;
    const inPuzzles = box.dataset.of === "puzzles";
    const title = inPuzzles ? t("Rating, puzzle by puzzle") : t("Rating, race by race");
    box.append(figure(title, summary(start, points, inPuzzles), "0 0 480 176", chart(start, points), "rating"));
  }
}
