/** The last scenes of the games, played by their own cards: the path of each card, as a pure function of time. */

/** @import { Card, Layout, Pile, View } from "../state/types.js" */

/**
 * @typedef {{x: number, y: number, turn: number, scale: number, opacity: number}} Pose of a card; turn in degrees
 *
 * @typedef {object} Actor
 * @property {Card} code
 * @property {Pile} pile where it comes from
 * @property {(ms: number) => Pose} path
 *
 * @typedef {object} Stage
 * @property {{code: Card, pile: Pile}[]} cards on the table, the lowest of each pile first
 * @property {(pile: Pile) => Pose} at a pile's place
 * @property {Layout} table
 * @property {{width: number, height: number}} size of the felt
 * @property {{x: number, y: number, width: number, height: number}} field the area below or beside the foundations
 *
 * @typedef {(stage: Stage) => Actor[]} Scene the last card lies on top
 */

/** Duration of every scene, in ms. */
export const LENGTH = 2800;
const FADE = 120;

/** A game without a scene of its own gets Stonewall's. @type {Record<string, Scene>} */
const SCENES = { braid, labyrinth, tarot, plot, stonewall };

/** @param {View} view of a won game @param {Layout} table @param {Stage["size"]} size @returns {Actor[]} */
export function scene(view, table, size) {
  const cards = Object.entries(view.piles)
    .flatMap(([pile, codes]) => codes.map((code, i) => ({ code: code ?? "", pile, i })))
    .filter(({ code }) => code)
    .sort((one, other) => one.i - other.i);
  const at = (/** @type {Pile} */ pile) => {
    const { x = 0, y = 0 } = table.slots.find((slot) => slot.pile === pile) ?? {};
    return { x, y, turn: 0, scale: 1, opacity: 1 };
  };
  const places = table.slots.filter(({ pile }) => /^(t|r\d)/.test(pile));
  const [x, y] = [Math.min(...places.map((slot) => slot.x)), Math.min(...places.map((slot) => slot.y))];
  const field = { x, y, width: Math.max(...places.map((slot) => slot.x)) + table.w - x, height: size.height - y };
  return (SCENES[view.game] ?? stonewall)({ cards, at, table, size, field });
}

/** The plait is woven once more, comes undone from its end, and its strands flow to the foundations. @type {Scene} */
function braid({ cards, at, table }) {
  const [middle, top, bottom] = [at("r").x, at("t4").y, at("t7").y];
  return cards.slice(-20).map((card, k) => {
    const home = at(card.pile);
    const side = k % 2 ? 1 : -1;
    const y = top + ((bottom - top) * k) / 19;
    const place = { ...home, x: middle + side * table.w * 0.36, y, turn: side * 5 };
    const loose = { ...place, x: middle - side * table.w * 1.35, turn: -side * 16 };
    const [from, opens] = [k * 32, 1080 + (19 - k) * 23];
    const goes = opens + 300 + (19 - k) * 12;
    const path = (/** @type {number} */ ms) => {
      const pose = blend(blend(home, place, ms, from, 480), loose, ms, opens, 560);
      return shown(blend(pose, home, ms, goes, 620), ms, from, goes + 620);
    };
    return { ...card, path };
  });
}

/** The rows part along a winding way, and slide out of sight. @type {Scene} */
function labyrinth({ cards, at, table, size }) {
  const places = table.slots.filter(({ pile }) => pile[0] === "t");
  const way = [3, 4, 5, 4, 3, 4];
  return cards.slice(-places.length).map((card, k) => {
    const row = Math.floor(k / 8);
    const side = k % 8 < way[row] ? -1 : 1;
    const from = row * 60 + (k % 8) * 25;
    const [home, place] = [at(card.pile), at(places[k].pile)];
    const leaves = 1900 + Math.abs(row - places.length / 16 + 0.5) * 100;
    const path = (/** @type {number} */ ms) => {
      const pose = blend(home, place, ms, from, 450);
      pose.x += side * smooth(part(ms, 1050 + row * 90, 420)) * table.w * 0.62;
      pose.x += side * part(ms, leaves, 800) ** 2 * size.width * 1.2;
      return shown(pose, ms, from);
    };
    return { ...card, path };
  });
}

/** The trumps rise in procession to an arch, and ascend. @type {Scene} */
function tarot({ cards, at, table: { w, h }, field }) {
  const trumps = cards.filter(({ code }) => code[0] === "M");
  const rx = field.width / 2 - h * 0.55;
  const ry = Math.min(rx * 1.3, field.height - h * 1.45);
  const top = field.y + (field.height - ry * 0.7 - h) / 2;
  const arch = (/** @type {number} */ u) => {
    const [sin, cos] = [Math.sin(Math.PI * (u - 0.5)), Math.cos(Math.PI * (u - 0.5))];
    const turn = (Math.atan2(sin * ry, cos * rx) * 180) / Math.PI;
    const [x, y] = [field.x + (field.width - w) / 2 + sin * rx, top + (1 - cos) * ry];
    return { x, y, turn, scale: 1, opacity: 1 };
  };
  return trumps.map((card, k) => {
    const seat = 0.1 + (0.8 * k) / (trumps.length - 1);
    const from = (trumps.length - 1 - k) * 26;
    const home = at(card.pile);
    const leaves = 2000 + k * 14;
    const path = (/** @type {number} */ ms) => {
      const pose = blend(home, arch(seat * smooth(part(ms, from + 250, 900))), ms, from, 420);
      pose.y -= Math.sin(Math.PI * part(ms, 1300 + k * 26, 420)) * h * 0.25 + part(ms, leaves, 450) ** 2 * h;
      return { ...pose, opacity: Math.min(part(ms, from, FADE), 1 - part(ms, leaves, 450)) };
    };
    return { ...card, path };
  });
}

/** The twelve piles are drawn into a whirl, which resolves into the foundations. @type {Scene} */
function plot({ cards, at, table: { w, h }, field }) {
  const [cx, cy] = [field.x + (field.width - w) / 2, field.y + (field.height - h) / 2];
  const reach = Math.min(field.width, field.height) / 2 - h / 2;
  return cards.slice(-48).map((card, k) => {
    const ring = Math.floor(k / 12);
    const [home, place] = [at(card.pile), at(`t${k % 12}`)];
    place.y += ring * h * 0.2;
    const [from, goes] = [k * 14, 1520 + k * 13];
    const path = (/** @type {number} */ ms) => {
      const angle = (k / 12 + ring / 24) * 2 * Math.PI + smooth(part(ms, 650, 1900)) * (5 + ring * 0.7);
      const radius = reach * (1 - ring * 0.27) * (1 - 0.4 * smooth(part(ms, 1050, 700)));
      const [x, y] = [cx + Math.cos(angle) * radius, cy + Math.sin(angle) * radius];
      const whirl = { ...place, x, y, turn: (angle * 180) / Math.PI + 90 };
      const pose = blend(blend(home, place, ms, from, 420), whirl, ms, 700 + k * 4, 550);
      return shown(blend(pose, { ...home, turn: 360 }, ms, goes, 540), ms, from, goes + 540);
    };
    return { ...card, path };
  });
}

/** The cards are the bricks of a wall, which falls. @type {Scene} */
function stonewall({ cards, at, table: { w, h }, field }) {
  const scale = Math.min(1, Math.sqrt((field.width * field.height * 0.5) / cards.length / (w * h)));
  const [long, high] = [h * scale * 1.03, w * scale * 1.04];
  const columns = Math.floor(field.width / long - 0.5);
  const rows = Math.floor(cards.length / columns);
  const floor = field.y + field.height - (h + high) / 2;
  // Small screens fall as slowly as large ones.
  const unit = field.height / 700;
  return cards.slice(0, columns * rows).map((card, k) => {
    const row = Math.floor(k / columns);
    const across = (k % columns) - (columns - 1) / 2 + (row % 2 ? 0.25 : -0.25);
    const [x, y] = [field.x + (field.width - w) / 2 + across * long, floor - row * high];
    const [from, falls] = [k * 15, 1240 + Math.abs(across) * 50 + (rows - row) * 15];
    const [drift, spin] = [across * 0.06 + Math.random() * 0.2 - 0.1, Math.random() * 0.3 - 0.15];
    const [home, place] = [at(card.pile), { x, y, turn: 90, scale, opacity: 1 }];
    const path = (/** @type {number} */ ms) => {
      const pose = blend(home, place, ms, from, 380);
      const t = Math.max(0, ms - falls);
      pose.x += drift * unit * t;
      pose.y += drop(t, (floor - y) / unit) * unit;
      pose.turn += spin * t;
      return shown(pose, ms, from);
    };
    return { ...card, path };
  });
}

/**
 * How far a brick is below its place: it jumps a little, falls, bounces once, and falls out of sight.
 * @param {number} ms @param {number} height above the floor
 */
function drop(ms, height) {
  const [up, gravity] = [0.15, 0.0021];
  const speed = Math.sqrt(up * up + 2 * gravity * height);
  const since = ms - (up + speed) / gravity;
  if (since < 0) return (gravity * ms * ms) / 2 - up * ms;
  return height + (gravity * since * since) / 2 - 0.4 * speed * since;
}

/** @param {number} ms @param {number} from @param {number} length @returns {number} 0 before, 1 after */
const part = (ms, from, length) => Math.min(1, Math.max(0, (ms - from) / length));

/** @param {number} u */
const smooth = (u) => u * u * (3 - 2 * u);

/**
 * @param {Pose} a @param {Pose} b
 * @param {number} ms @param {number} from @param {number} length @returns {Pose}
 */
function blend(a, b, ms, from, length) {
  const u = smooth(part(ms, from, length));
  const mix = (/** @type {keyof Pose} */ key) => a[key] + (b[key] - a[key]) * u;
  return { x: mix("x"), y: mix("y"), turn: mix("turn"), scale: mix("scale"), opacity: mix("opacity") };
}

/** @param {Pose} pose @param {number} ms @param {number} from @param {number} [to] @returns {Pose} */
const shown = (pose, ms, from, to = Infinity) => ({
  ...pose,
  opacity: Math.min(part(ms, from, FADE), 1 - part(ms, to, FADE)),
});
