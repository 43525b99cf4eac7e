/** Heading of a room: the next race's game, limit and options, and the state of its deal. */

import { t, tn } from "../../shared/i18n.js";
import { all, byId, part, write } from "../../shared/dom.js";
import { limitText } from "../names.js";
import { isPuzzleRace } from "../types.js";

/** @import { Names } from "../names.js" */
/** @import { RaceState, Room } from "../types.js" */

/** The race that the page is about: the upcoming one, or else the running or last one. @param {Room} room */
export const subject = ({ to_come, running, last }) => to_come ?? running ?? last;

/** @param {Room} room @param {Names} names */
export function showHead(room, names) {
  const race = subject(room);
  if (!race) return;
  const title = names.title(race);
  write(byId("room-title"), title);
  write(byId("room-kind"), kindText(room));
  const facts = [limitText(race.limit_s), seatsText(room, race), ...names.options(race)];
  if (race.rated) facts.push(t("rated"));
  if (!race.free_undo) facts.push(t("no undo after a card turns up"));
  const list = byId("room-facts");
  if (list.dataset.text !== facts.join()) {
    list.dataset.text = facts.join();
    list.replaceChildren(...facts.map((fact) => part("li", "", fact)));
  }
  showArt(race);
  const solves = isPuzzleRace(race);
  for (const item of all("[data-cards-only]", byId("room"))) item.hidden = solves;
  for (const item of all("[data-puzzles-only]", byId("room"))) item.hidden = !solves;
  byId("rules").href = `/rules/${race.game}/`;
  byId("lesson").href = `/rules/${race.game}/#lesson`;
  byId("practise-name").value = race.variant || race.game;
}

/** The seats or, as a heat has one for everyone, the players. @param {Room} room @param {RaceState} race */
export const seatsText = ({ kind, seats }, race) =>
  kind === "heat" ? tn("1 player here", "{n} players here", race.seats.length) : tn("1 seat", "{n} seats", seats);

/** @param {RaceState} race */
function showArt({ game }) {
  const place = byId("room-art");
  if (place.dataset.game === game) return;
  const art = /** @type {HTMLTemplateElement|null} */ (document.querySelector(`template[data-art="${game}"]`));
  if (!art) return;
  place.dataset.game = game;
  place.replaceChildren(art.content.cloneNode(true));
}

/** @param {Room} room */
function kindText(room) {
  const { kind } = room;
  const number = subject(room)?.number ?? 1;
  if (kind === "heat") return t("Heat");
  if (kind === "quick") return t("Quick match");
  return kind === "public" ? t("Public room · race {number}", { number }) : t("Race {number}", { number });
}

/** Shows the state of the upcoming race's deal. @param {Room} room */
export function showDeal(room) {
  const race = subject(room);
  if (!race) return;
  const { state, tried, commitment } = race.deal;
  const texts = {
    ready: race === room.to_come ? t("It can be won, and no one has seen it yet.") : t("It can be won."),
    preparing: t("Looking for a winnable deal."),
    none: t("You can rarely win with these options. Try others."),
  };
  const looking = state === "preparing" && tried > 0 ? ` ${tn("One checked.", "{n} checked.", tried)}` : "";
  write(byId("deal-text"), texts[state] + looking);
  byId("deal-progress").hidden = state !== "preparing";
  byId("commitment").hidden = !commitment;
  if (!commitment) return;
  write(byId("commitment-short"), `${commitment.slice(0, 10)}…`);
  write(byId("commitment-full"), commitment);
  byId("race-commitment").hidden = !race.race_commitment;
  write(byId("race-commitment-full"), race.race_commitment ?? "");
}
