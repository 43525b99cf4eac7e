// Runner of the browser's checks in Node: each line on stdin is a request as JSON, each on stdout its result.
import { createInterface } from "node:readline";

const verify = process.argv[2];
const from = (name) => import(`${verify}/${name}.js`);
const { examined } = await from("checks");
const { commitmentOf, numberedSeed, numberOf, raceCommitmentOf } = await from("commitment");
const { read, readLink } = await from("documents");
const { dealtTable, replay } = await from("table");
const { deckOf, variantOf } = await from("shuffle");

const ORIGIN = "https://talon.example";

/** Replay a record's line as far as it is legal; return the positions after the given token counts, and the result. */
async function line(record, after) {
  const table = await dealtTable(record);
  const positions = [];
  for (const token of record.tokens) {
    if (!table.play(token)) break;
    if (!after.includes(table.tokens)) continue;
    const { legal, cardsUp, tokens, state } = table;
    positions.push({ after: tokens, legal: [...legal].sort(), cards_up: cardsUp, piles: state.piles, down: state.down });
  }
  return { positions, result: await replay(record) };
}

const doing = {
  deals: (seeds) =>
    Promise.all(
      seeds.map(async ({ variant, seed }) => ({
        deck: await deckOf(variantOf({ variant }).game, seed),
        commitment: await commitmentOf(seed),
      })),
    ),
  races: (races) => Promise.all(races.map(raceCommitmentOf)),
  numbers: (named) =>
    Promise.all(
      named.map(async ({ variant, number, seed }) => ({
        variant: variantOf({ variant }),
        seed: await numberedSeed(variantOf({ variant }), number),
        number: await numberOf(variantOf({ variant }), seed),
      })),
    ),
  openings: (named) =>
    Promise.all(
      named.map(async (one) => {
        const { legal, cardsUp } = await dealtTable(one);
        return { legal: [...legal].sort(), cards_up: cardsUp };
      }),
    ),
  lines: (records) => Promise.all(records.map(({ record, after }) => line(record, after))),
  links: (links) => links.map((link) => readLink(link, ORIGIN)),
  texts: (texts) => texts.map((text) => read(text)?.kind ?? null),
  async examine({ text, link, head, ledger, deals, answers }) {
    const gone = () => Promise.reject(new Error("404"));
    const site = {
      ledger: async () => ledger ?? (await gone()),
      deal: async (day, variant) => deals[`${day} ${variant}`] ?? (await gone()),
      replay: async (record) => answers[JSON.stringify([record.tokens, record.end])] ?? (await gone()),
    };
    const linked = link ? readLink(link, ORIGIN) : null;
    const brought = read(text);
    return examined({ brought, day: linked?.day ?? null, numbered: linked?.numbered ?? null, head }, site);
  },
};

for await (const text of createInterface({ input: process.stdin })) {
  const { what, argument } = JSON.parse(text);
  let reply;
  try {
    reply = { done: (await doing[what](argument)) ?? null };
  } catch (error) {
    reply = { failed: error.stack };
  }
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
