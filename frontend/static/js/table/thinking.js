/** Where time was spent: a column over the bar for every move, the higher the longer it took. */

/** Shorter than this, in ms, is no thought: the column stays a line. */
const BRISK = 1000;

/** @param {number[]} clock when each move was made, in ms @returns {number[]} how long each took */
export const gapsOf = (clock) => clock.map((ms, k) => ms - (k ? clock[k - 1] : 0));

/** More than this share of the longest is drawn as a long thought. */
const LONG = 0.5;

/**
 * Draws the columns; the longest fills the height, and half as long is more than half as high.
 * @param {SVGElement} svg @param {number[]} clock
 */
export function drawThinking(svg, clock) {
  const gaps = gapsOf(clock);
  const longest = Math.max(BRISK * 5, ...gaps);
  const drawn = ["", ""];
  gaps.forEach((gap, k) => {
    const height = gap < BRISK ? 4 : 8 + 92 * Math.sqrt(gap / longest);
    drawn[Number(gap > longest * LONG)] += `M${k + 0.6} 100V${(100 - height).toFixed(1)}H${k + 1.4}V100Z`;
  });
  svg.setAttribute("viewBox", `0 0 ${Math.max(1, clock.length)} 100`);
  svg.querySelectorAll("path").forEach((path, k) => path.setAttribute("d", drawn[k]));
}
