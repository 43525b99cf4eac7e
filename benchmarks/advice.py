"""Hints on fresh winnable deals: hints by reason, and those that turn a won position into a lost one, by variant.

`DATABASE_URL=postgres://… python -m benchmarks.advice [VARIANT ...] [--deals N] [--seed SEED]`; exit code 1 if a hint
loses. It uses its own database on that server, and drops it at the end. A player follows hints, and strays now and
then. Half of the deals come with their winning line, as guided and certified ones do, and half without; on half of
each, the player has played on alone before the first hint. Half of the answers come late. The solver judges the
position after each `safe` and `likely` move and after some of the `way` moves, and if it is lost or undecided, the
position before. The deals differ in each run; `--seed` repeats those of a run.
"""

from __future__ import annotations

import argparse
import secrets
import sys
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING

from tqdm import tqdm

from benchmarks.databases import own_site, server_url
from games.rules import CATALOGUE, Record, Table, from_position, open_table
from games.solver import Budget, Solution, Unwinnable, shorten, solve
from games.solver.simulated_players import SKILLS, skilled_game

if TYPE_CHECKING:
    from games.hints.advice import Advice
    from games.models import Attempt

#: Hints at each deal.
HINTS = 20
#: Share of moves that the player makes without a hint, of answers that come late, and of `way` moves that are judged.
STRAYS, LATE, SAMPLE = 0.2, 0.5, 0.1
#: Budgets in positions: to certify a deal, and to judge a position.
CERTIFYING, JUDGING = 300_000, 2_000_000
REASONS = ("way", "safe", "likely", "back", "return")
COLUMNS = (*REASONS, "judged", "undecided", "lost")


def winnable(variant: str, chance: Random) -> Record:
    """Return the winning record of a fresh deal."""
    from games.deals.certification import winning_record

    while True:
        seed = chance.randbytes(32)
        result = solve(open_table(variant, seed), Budget(nodes=CERTIFYING))
        if isinstance(result, Solution):
            return winning_record(variant, seed, shorten(open_table(variant, seed), result.tokens))


def begin(record: Record, chance: Random, *, has_line: bool, plays_on: bool) -> Attempt:
    """Start a practice game, with the record as the deal's certificate or without one."""
    from accounts.sign_in.guests import create_guest
    from games.attempts.lifecycle import start_attempt
    from games.deals.certification import Certificate
    from games.deals.publishing import seeded_deal

    proof = Certificate(record, None, None) if has_line else None
    attempt = start_attempt(create_guest(), seeded_deal(CATALOGUE[record.name], record.seed, proof))
    if plays_on:
        table = record.open_table()
        skilled_game(table, SKILLS[chance.choice(list(SKILLS))], chance)
        play(attempt, *table.moves[: chance.randrange(len(table.moves))])
    return attempt


def play(attempt: Attempt, *tokens: str) -> None:
    """Add tokens to the attempt's journal."""
    from games.models import Move

    first = Move.objects.filter(attempt=attempt).count() + 1
    Move.objects.bulk_create(Move(attempt=attempt, n=n, token=token, ms=n) for n, token in enumerate(tokens, first))


def hint(attempt: Attempt, chance: Random) -> Advice:
    """Ask for a hint, as often as the client does."""
    from games.hints import questions
    from games.hints.advice import WITHIN, advise
    from games.hints.position_search import QUICK
    from games.models import Question

    def ask(seconds: int = 0) -> Advice | None:
        now = None if question is None else question.asked_at + seconds * WITHIN
        return advise(attempt, attempt.player_id, lambda: None, now=now)

    question: Question | None = None
    advice = ask()
    if advice is None:
        question = Question.objects.get(attempt=attempt)
        advice = ask(1) if chance.random() < LATE else None
        if not questions.answer(question.pk, QUICK):
            questions.answer(question.pk)
    advice = advice or ask()
    assert advice is not None
    return advice


def is_won(table: Table) -> bool | None:
    """Return whether a position can be won, or None if the search did not decide."""
    if table.is_won:
        return True
    result = solve(from_position(table.position()), Budget(nodes=JUDGING, memory=256))
    return None if not isinstance(result, Solution | Unwinnable) else isinstance(result, Solution)


def judge(before: Table, after: Table, why: str) -> str:
    """Return "lost" if the move lost a won position, "undecided" if that is not known, or else an empty string."""
    if (kept := is_won(after)) is True:
        return ""
    had = True if why == "way" else is_won(before)
    if had is False:
        return ""
    return "undecided" if None in {had, kept} else "lost"


def follow(attempt: Attempt, chance: Random) -> Iterator[str]:
    """Follow hints at a game, and yield what they add to the counts."""
    from games.core.errors import Refusal
    from games.hints.questions import table_of

    for _ in range(HINTS):
        table = table_of(attempt, None)
        if table.is_won:
            return
        if (legal := table.legal_moves()) and chance.random() < STRAYS:
            play(attempt, chance.choice(legal))
            continue
        try:
            advice = hint(attempt, chance)
        except Refusal:  # there is no move to advise
            return
        yield advice.why
        play(attempt, advice.token)
        if advice.why in {"safe", "likely"} or (advice.why == "way" and chance.random() < SAMPLE):
            yield "judged"
            if verdict := judge(table, table_of(attempt, None), advice.why):
                yield verdict
                print(f"{verdict}: {advice.why} {advice.token} at {table.position()}", file=sys.stderr)


def measure(variants: list[str], deals: int, seed: str) -> int:
    """Follow hints, print the counts, and return the exit code."""
    from django.core.management import call_command

    from games.hints import questions

    call_command("migrate", verbosity=0)
    print(f"{deals} deals each; --seed {seed}")
    print("variant       ", *(f"{column:>9}" for column in COLUMNS))
    lost = 0
    for variant in variants:
        chance, counts = Random(f"{seed} {variant}"), Counter[str]()
        for n in tqdm(range(deals), desc=variant, unit="deal", leave=False, disable=not sys.stderr.isatty()):
            attempt = begin(winnable(variant, chance), chance, has_line=n % 2 == 0, plays_on=n % 4 > 1)
            counts.update(follow(attempt, chance))
        print(f"{variant:<14}", *(f"{counts[column]:>9}" for column in COLUMNS), flush=True)
        lost += counts["lost"]
    questions.dismiss()
    return 1 if lost else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", nargs="*", default=list(CATALOGUE), metavar="VARIANT")
    parser.add_argument("--deals", type=int, default=12, help="deals per variant (default: %(default)s)")
    parser.add_argument("--seed", default=secrets.token_hex(4), help="of the deals (default: a new one)")
    options = parser.parse_args()
    url = server_url()
    if not url:
        return 0
    with own_site(url):
        return measure(options.variants, options.deals, options.seed)


if __name__ == "__main__":
    sys.exit(main())
