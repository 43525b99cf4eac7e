// Says every command of the table's command line, and prints what was not understood. See test_commands.py.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { modules, catalogue, language, positions, sentences } = JSON.parse(readFileSync(0));
const addEventListener = () => {};
const documentElement = { lang: language, dataset: {} };
const document = { documentElement, getElementById: () => null, addEventListener };
Object.assign(globalThis, { document, addEventListener, setInterval: () => 0 });
globalThis.matchMedia = () => ({ addEventListener() {} });
if (catalogue) createRequire(import.meta.url)(catalogue);
const module = (name) => import(`${modules}/table/commands/${name}.js`);
const { answerTo } = await module("answers");
const { Names } = await module("names");
const { commands, readings, waysOf } = await module("phrases");
const { example, movesText } = await module("table-text");

/** @returns {string} the move made, or else the answer */
function say(text, { view, legal }) {
  let played = "";
  const host = { play: (token) => (played = token), why: (...why) => (played = `why ${why.join(" ")}`) };
  const state = { view, legal, pending: [], status: "playing", paused: false, pieces: [], drawn: null, host };
  const answer = answerTo(text, { state, keys: {}, last: "", changes: () => "", close() {} });
  return played || answer;
}

const isEmpty = ({ piles, under }, pile) => (piles[pile]?.length ?? 0) + (under[pile] ?? 0) === 0;

/** Whether two moves are the same, or go to one or the other of two empty piles. */
function areAlike(view, one, other) {
  const [[from, to], [alsoFrom, alsoTo]] = [one, other].map((token) => token.split(/[-x]/));
  return one === other || (from === alsoFrom && isEmpty(view, to) && isEmpty(view, alsoTo ?? ""));
}

const wrong = [];
for (const position of positions) {
  const { view, legal } = position;
  for (const token of legal) {
    const text = movesText(view, new Names(view), [token]);
    const played = say(text, position);
    if (!areAlike(view, token, played)) wrong.push([view.game, token, text, played]);
  }
}
for (const command of commands())
  for (const way of waysOf(command)) {
    const text = example(way, "tarot");
    if (!readings(text).some(({ id }) => id === command.id)) wrong.push([command.id, text]);
  }
console.log(JSON.stringify({ wrong, answers: sentences.map((text) => say(text, positions[0])) }));
