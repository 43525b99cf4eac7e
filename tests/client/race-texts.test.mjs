// What a table in a race says about places, the lead and the outcome.
import assert from "node:assert/strict";
import { test } from "node:test";
import { advance } from "./page.mjs";

const made = [];
function element() {
  const classList = { add() {}, remove() {}, toggle() {} };
  return { append() {}, after() {}, setAttribute() {}, classList, dataset: {}, textContent: "" };
}
const make = () => made[made.push(element()) - 1];
Object.assign(document, {
  createElement: make,
  getElementById: (id) => (id === "live" ? null : element()),
  body: element(),
});
globalThis.matchMedia = () => new EventTarget();
const social = "../../frontend/static/js/table/social";
const { versusText } = await import(`${social}/ghost.js`);
const { RaceNews } = await import(`${social}/race-news.js`);
const { racersOf } = await import(`${social}/rank-strip.js`);
const { placeText, rivalOf, standingText } = await import(`${social}/race-texts.js`);

const ME = 1;
const me = { entrant: ME, name: "Me", state: "won", cardsUp: 52, place: 1, ms: 60000 };
const rex = { entrant: 2, name: "Rex", state: "won", cardsUp: 52, place: 2, ms: 60016 };
const outcome = (...racers) => {
  const rival = rivalOf(racers, ME);
  return rival && versusText(rival);
};

test("a small difference is not shown as none", () => {
  assert.equal(outcome(me, rex), "You beat Rex by 0.016 s");
  assert.equal(outcome({ ...rex, place: 1, ms: 59990 }, { ...me, place: 2 }), "Rex was 0.010 s faster");
  const [own, theirs] = [60000, 60500].map((ms) => ({ cardsUp: 52, ms }));
  assert.equal(versusText({ name: "Rex", own, theirs }), "You beat Rex by one second");
});

test("the outcome follows the places", () => {
  const lost = { ...me, state: "retired", cardsUp: 30, place: 2 };
  assert.equal(outcome({ ...rex, cardsUp: 40, place: 1 }, lost), "Rex was 10 cards ahead");
  assert.equal(outcome({ ...rex, state: "retired", cardsUp: 30, place: 1, ms: 90000 }, lost), "Rex was ahead");
  assert.equal(outcome(me, { ...rex, place: 1, ms: 60000 }), "Level with Rex");
  assert.equal(outcome(me, { ...rex, ms: 60000 }), "You beat Rex", "the moves decided");
});

test("a racer without a place, or disqualified, beats no one", () => {
  assert.equal(outcome({ ...rex, place: 1 }, { ...me, place: null }), null);
  assert.equal(outcome(me, { ...rex, place: null }), null);
  assert.equal(outcome({ ...rex, cardsUp: 3, state: "retired", place: 1 }, { ...me, state: "disqualified" }), null);
  assert.equal(placeText({ ...me, state: "disqualified" }, { place: "1st", n: 1 }, true), "");
});

test("no one leads by an equal number of cards", () => {
  const leads = ({ name, cardsUp }) => `${name} leads with ${cardsUp}.`;
  const at = (theirs, own) => [
    { ...rex, place: 1, cardsUp: theirs },
    { ...me, place: 2, cardsUp: own },
  ];
  assert.equal(standingText(at(0, 0), ME, leads), "You're 2nd.");
  assert.equal(standingText(at(5, 4), ME, leads), "You're 2nd. Rex leads with 5.");
  assert.equal(standingText([rex, { ...me, place: null }], ME, leads), "");
});

/** News of a race whose own table is opened with these cards up, with the time left in ms. */
function open(cards, left = 600000) {
  const clock = { until: (at) => at - performance.now() };
  const news = new RaceNews({ clock, at: (span) => performance.now() + span }, ME);
  const line = made.find(({ className }) => className === "race-news");
  made.length = 0;
  const racing = (up) => up.map((cardsUp, k) => ({ ...me, entrant: k + 1, name: "?ABC"[k], cardsUp, state: "racing" }));
  const follow = (up, state = "racing") => {
    news.follow({ state, ends_in: left }, racing(up).sort((one, other) => other.cardsUp - one.cardsUp));
    return line.textContent;
  };
  advance(1000);
  const first = follow(cards);
  return { first, follow, line };
}

test("a reload of the table is no news", () => {
  const { first, follow } = open([3, 8]);
  assert.equal(first, "");
  assert.equal(follow([4, 8]), "", "the leader has led before");
  assert.equal(follow([9, 8]), "You take the lead");
  const late = open([3, 8], 30000);
  advance(1000);
  assert.equal(late.line.textContent, "", "the last minute began before the reload");
});

test("the first lead of a race is news", () => {
  const { follow } = open([0, 0]);
  assert.equal(follow([0, 1]), "A takes the lead");
});

test("a racer who did not show up is not counted", () => {
  const seats = ["Me", "Rex", "Pip"].map((name, k) => ({ entrant: k + 1, name }));
  const lanes = [
    [3, 0, 0, "absent", false, null, null],
    [2, 10, 12, "racing", false, 2, null],
    [1, 12, 14, "racing", false, 1, null],
  ];
  assert.deepEqual(
    racersOf({ seats, lanes }).map(({ name }) => name),
    ["Me", "Rex"],
  );
});
