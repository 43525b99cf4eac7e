// Plays games on the table of js/table/offline/local-table.js, and prints the first difference from the server's views.
// See test_local_table.py.
import assert from "node:assert";
import { readFileSync } from "node:fs";

const { module, games } = JSON.parse(readFileSync(0));
const { LocalTable } = await import(module);

for (const { deck, opening, steps } of games) {
  const table = new LocalTable(opening, deck);
  for (const { moves, view, legal } of steps) {
    const answer = table.after(opening, moves, view.moves);
    for (const [pile, under] of Object.entries(answer.view.under)) if (under === 0) delete answer.view.under[pile];
    assert.deepEqual(answer.view, view);
    assert.deepEqual(answer.legal.sort(), legal.sort());
  }
  assert.equal(table.after(opening, ["zz"], 1), null);
}
