/** Form for choosing a room's game, in the lobby and in the host's settings. */

/** @import { RaceState, Room } from "../types.js" */

import { all } from "../../shared/dom.js";
import { isPuzzleRace } from "../types.js";

/** Shows only the options of the chosen game. @param {HTMLFormElement} form */
export function bindForm(form) {
  const choice = /** @type {HTMLSelectElement} */ (form.elements.namedItem("name"));
  const show = () => {
    for (const box of all("[data-options-of]", form)) box.hidden = box.dataset.optionsOf !== choice.value;
    for (const box of all("[data-cards-only]", form)) box.hidden = isPuzzleRace({ game: choice.value });
  };
  choice.addEventListener("change", show);
  show();
}

/** The form's values as the socket's `settings`. @param {HTMLFormElement} form */
export function settingsOf(form) {
  const data = new FormData(form);
  const text = (/** @type {string} */ name) => String(data.get(name) ?? "");
  const [, own] = text("name").split(":");
  const prefix = `option-${own}-`;
  const options = Object.fromEntries(
    [...data.keys()]
      .filter((key) => own && key.startsWith(prefix))
      .map((key) => [key.slice(prefix.length), JSON.parse(text(key))]),
  );
  return {
    type: "settings",
    name: own ?? text("name"),
    options: own ? options : null,
    limit_s: Number(text("limit")),
    seats: Number(text("seats")),
    public: text("privacy") === "public",
    free_undo: text("undo") === "free",
  };
}

/** @param {HTMLFormElement} form to fill with the current settings @param {Room} room @param {RaceState} race */
export function fillForm(form, room, race) {
  /** @param {string} name @param {string} value */
  const set = (name, value) => {
    const field = form.elements.namedItem(name);
    if (field instanceof RadioNodeList || field instanceof HTMLSelectElement) field.value = value;
  };
  set("name", race.variant || `own:${race.game}`);
  if (!isPuzzleRace(race)) set("limit", String(race.limit_s));
  set("seats", String(room.seats));
  set("privacy", room.kind);
  set("undo", race.free_undo ? "free" : "unseen");
  if (!race.variant)
    for (const [name, value] of Object.entries(race.options)) set(`option-${race.game}-${name}`, JSON.stringify(value));
  form.querySelector("[name=name]")?.dispatchEvent(new Event("change", { bubbles: true }));
}
