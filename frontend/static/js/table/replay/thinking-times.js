/** Chart of thinking times: a column over the seek bar for each move, higher for a longer pause. */

/** Pauses shorter than this, in ms, are drawn as a flat line. */
const BRISK = 1000;

/** @param {number[]} clock when each move was made, in ms @returns {number[]} the time each took */
export const gapsOf = (clock) => clock.map((ms, k) => ms - (k ? clock[k - 1] : 0));

/** Share of the longest pause above which a pause is drawn as long. */
const LONG = 0.5;

/**
 * Draws the columns. The longest has full height; heights grow with the square root of the time.
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
