/**
 * What a puzzle's page shows once the try is over: everyone's results, themes, the player's vote, the game the puzzle
 * comes from, and how other moves lose.
 */

import { byId, button, link, part } from "../../shared/dom.js";
import { t, tn } from "../../shared/i18n.js";
import { csrfToken, noAnswer, request } from "../../shared/request.js";
import { notice } from "../../shared/notice.js";
import { moveText } from "../hud/hint.js";

/** @import { Token, View } from "../state/types.js" */

/**
 * @typedef {{player: string, address: string}} Source
 * @typedef {{address: string, mine: string}} Vote `mine` is empty before the vote
 *
 * @typedef {object} After
 * @property {{title: string, address: string}[]} themes each address leads to another puzzle with the theme
 * @property {Source|null} source
 * @property {string|null} play_on address that starts practice from the puzzle's position, if that can be reached
 * @property {Vote|null} vote null for guests
 * @property {{view: View, losing: Token[]}[]} turns
 * @property {{finished: number, solved: number, first_move: Token|""}|null} day
 * @property {number|null} left number of puzzles not seen yet, if there are few
 */

/**
 * @param {HTMLElement} place @param {After|null} after null while the try goes on
 * @param {(turn: number, token: Token) => void} onLoss called to show how a move loses
 */
export function showAfter(place, after, onLoss) {
  place.hidden = after === null;
  if (after === null) return;
  const { themes, source, play_on: playOn, vote } = after;
  /** @type {HTMLElement[]} */
  const parts = themes.map(({ title, address }) => link(address, "", title));
  if (parts.length > 0) parts.unshift(part("b", "", t("More like this:")));
  const results = dayText(after);
  if (results) parts.unshift(part("p", "day-results", results));
  if (source) parts.push(link(source.address, "", t("From a game by {name}", { name: source.player })));
  if (vote) parts.push(votes(vote));
  parts.push(otherMoves(after.turns, onLoss));
  place.replaceChildren(...parts);
  const form = byId("play-on");
  form.hidden = playOn === null;
  form.action = playOn ?? "";
  // A guest's first move has changed the token.
  form.elements.namedItem("csrfmiddlewaretoken").value = csrfToken();
}

/** Everyone's results with the day's puzzle; empty for another puzzle. @param {After} after */
function dayText({ day, turns }) {
  if (!day || day.finished === 0) return "";
  const { finished, solved, first_move: first } = day;
  const shares = tn("You are the first to finish it.", "{solved} of {n} players solved it ({percent}%).", finished, {
    solved,
    percent: Math.round((100 * solved) / finished),
  });
  if (finished === 1 || !first) return shares;
  const [{ view, losing }] = turns;
  const move = { move: moveText(view, first) };
  const favourite = losing.includes(first)
    ? t("Most common first move: {move}. It loses.", move)
    : t("Most common first move: {move}. It is right.", move);
  return `${shares} ${favourite}`;
}

/**
 * Offers to show how the other moves lose.
 * @param {After["turns"]} turns @param {(turn: number, token: Token) => void} onLoss
 */
function otherMoves(turns, onLoss) {
  const list = part("details", "", part("summary", "", t("Why not another move?")));
  const moves = turns.flatMap(({ view, losing }, turn) =>
    losing.map((token) => {
      const move = moveText(view, token);
      const text = turns.length > 1 ? t("Move {n}: {move}", { n: turn + 1, move }) : move;
      return button(text, "", () => {
        list.removeAttribute("open"); // the cards need the space
        onLoss(turn, token);
      });
    }),
  );
  list.append(part("div", "votes", ...moves));
  return list;
}

/** @param {Vote} vote */
function votes({ address, mine }) {
  const texts = { good: t("Good puzzle"), bad: t("Not so good"), wrong: t("Report a mistake") };
  const buttons = Object.entries(texts).map(([vote, text]) => {
    const choice = button(text, "", async () => {
      const response = await request(address, "POST", { vote }).catch(() => null);
      if (response?.ok) press(choice);
      if (!response) notice(noAnswer());
      else notice(response.ok ? t("Thank you for your vote.") : t("Your vote was not counted."));
    });
    choice.setAttribute("aria-pressed", String(vote === mine));
    return choice;
  });
  /** @param {HTMLElement} chosen */
  const press = (chosen) => buttons.forEach((one) => one.setAttribute("aria-pressed", String(one === chosen)));
  return part("div", "votes", ...buttons);
}
