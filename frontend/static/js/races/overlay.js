/** Overlay for streams: only the lanes of a room's running race, or else of its last or next one. */

import { byId } from "../shared/dom.js";
import { Names } from "./names.js";
import { sayStanding } from "./room/announcements.js";
import { Lanes } from "./room/lanes.js";
import { standing } from "./room/spectators.js";
import { RaceSocket } from "./socket.js";

/** @import { Room } from "./types.js" */

const box = byId("overlay");
const names = new Names(box);
const lanes = new Lanes(byId("lanes"));

/** @param {Room} room */
function show({ running, last, to_come }) {
  const race = running ?? last ?? to_come;
  if (!race) return;
  lanes.show(race, { goal: names.goal(race), me: null });
  sayStanding(standing(race));
}

box.style.setProperty("--size", `${box.dataset.size}%`);
new RaceSocket(box.dataset.code, { elsewhere: true, changed: show, lanes: (_lanes, room) => show(room) });
