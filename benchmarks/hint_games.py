"""Games won by hints alone, from positions after 0 to 15 random moves on certified deals.

`python -m benchmarks.hint_games [VARIANT ...] [--positions N] [--seed SEED] [--players N]`; the exit code is 1 if a
target is missed. Each deal gives five positions. Half of the searches answer late, so that the hint before is
provisional. The targets:

- decided, winnable positions are won, and no hint returns to an earlier position or undoes the hint before it;
- in at most twice par, not counting undone moves;
- the first hint at a lost position names the position to return to, and from there the game is won;
- with several players asking at once, each at other positions, 95 of 100 answers come within 2 s.

The run has its own SQLite database. Positions are new in each run; `--seed` repeats those of a run.
"""

from __future__ import annotations

import argparse
import os
import secrets
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

from games.rules import CATALOGUE, open_table
from games.solver import Budget, Solution, shorten, solve

if TYPE_CHECKING:
    from django.test import Client

    from accounts.models import User
    from games.hints.advice import Advice
    from games.models import Attempt, Deal

RANDOM_MOVES: Final = 15
#: Positions per deal.
EACH: Final = 5
#: Node budget for certifying a deal, and the share of searches that answer late.
CERTIFYING: Final = 300_000
LATE: Final = 0.5
#: Positions per variant for each of the concurrent players.
ASKED: Final = 3
P95_AIM_S: Final = 2.0
#: More hints than this count as a loop.
MOST_HINTS: Final = 2_000
COLUMNS: Final = (
    "positions",
    "winnable",
    "won",
    "lost",
    "named",
    "won after",
    "unknown",
    "won anyway",
    "loops",
    "over",
)


def begin(player: User, deal: Deal, chance: Random, moves: int) -> Attempt:
    """Begin a practice attempt with this many random moves, or fewer if none is left."""
    from games.attempts import deal_table, start_attempt

    attempt, table = start_attempt(player, deal), deal_table(deal)
    for _ in range(moves):
        if not (legal := table.legal_moves()):
            break
        table.push(chance.choice(legal))
    play(attempt, *table.moves)
    return attempt


def deal_of(variant: str, chance: Random) -> Deal:
    """Create a certified deal."""
    from games.deals import publishing
    from games.deals.certification import Certificate, winning_record

    seed, line = certified(variant, chance)
    return publishing.seeded_deal(CATALOGUE[variant], seed, Certificate(winning_record(variant, seed, line), None, 3))


def certified(variant: str, chance: Random) -> tuple[bytes, tuple[str, ...]]:
    """Return the seed of a deal, and a winning line."""
    while True:
        seed = chance.randbytes(32)
        found = solve(open_table(variant, seed), Budget(nodes=CERTIFYING))
        if isinstance(found, Solution):
            return seed, shorten(open_table(variant, seed), found.tokens)


def play(attempt: Attempt, *tokens: str) -> None:
    from games.models import Move

    first = attempt.moves.count() + 1
    Move.objects.bulk_create(Move(attempt=attempt, n=n, token=token, ms=n) for n, token in enumerate(tokens, first))


class Game:
    """A game played by hints alone, and its faults."""

    def __init__(self, attempt: Attempt, chance: Random | None) -> None:
        """`chance` decides which answers come late; without it, none does."""
        from games.hints import questions
        from games.solver.shorten import signature

        self.attempt = attempt
        self.chance = chance
        self.table = questions.table_of(attempt, None)
        self.loops = self.forward = self.back = 0
        self.first: Advice | None = None
        self._seen = {signature(self.table)}
        self._previous: Advice | None = None

    def run(self) -> None:
        """Follow hints until the game is won, there is none, or there are too many."""
        from games.errors import Refusal

        while not self.table.is_won and self.forward + self.back < MOST_HINTS:
            try:
                advice = self._advice()
            except Refusal:
                return
            self.first = self.first or advice
            self._follow(advice)
        self.loops += not self.table.is_won

    def _advice(self) -> Advice:
        from games.hints import questions
        from games.hints.advice import WITHIN, advise
        from games.models import Question

        pk = self.attempt.player_id
        advice = advise(self.attempt, pk, lambda: None)
        if advice is None and self.chance is not None and self.chance.random() < LATE:
            asked = Question.objects.get(attempt=self.attempt)
            advice = advise(self.attempt, pk, lambda: None, now=asked.asked_at + WITHIN)
            questions.answer(asked.pk)
        if advice is None:
            questions.answer(Question.objects.get(attempt=self.attempt).pk)
            advice = advise(self.attempt, pk, lambda: None)
        assert advice is not None
        return advice

    def _follow(self, advice: Advice) -> None:
        from games.solver.shorten import signature

        is_back = advice.token == "u"
        if is_back and self._previous is not None and self._previous.why == "way":
            self.loops += 1
        play(self.attempt, advice.token)
        self.table.push(advice.token)
        place = signature(self.table)
        if is_back:
            self.back += 1
        else:
            self.forward += 1
            self.loops += place in self._seen
        self._seen.add(place)
        self._previous = advice


@cache
def searched(position: str) -> dict[str, Any]:
    """Return the answer of a question's search, run in this process at its priority."""
    from games.hints.asking import FULL
    from games.hints.search import search

    return search({"position": position, "nodes": FULL.nodes, "seconds": FULL.seconds})


def truth(attempt: Attempt) -> str:
    """Return whether the game can be won, according to a question's search."""
    from games.hints import questions

    table = questions.table_of(attempt, None)
    return "yes" if table.is_won else str(searched(table.position())["answer"])


def judge(attempt: Attempt, chance: Random | None) -> Counter[str]:
    """Play one position by hints, and return the counts."""
    answer, game = truth(attempt), Game(attempt, chance)
    game.run()
    won = game.table.is_won
    counts = Counter(positions=1, loops=bool(game.loops))
    counts["over"] += won and game.forward > 2 * (attempt.deal.par or 0)
    if answer == "yes":
        counts.update(winnable=1, won=won)
    elif answer == "no":
        named = game.first is not None and game.first.why in {"back", "return"} and game.first.moves > 0
        counts.update({"lost": 1, "named": named, "won after": won})
    else:
        counts.update({"unknown": 1, "won anyway": won})
    return counts


def measure(variant: str, positions: int, seed: str) -> bool:
    """Play the positions of a variant, print the counts, and return whether the targets are met."""
    from accounts.guests import create_guest

    chance, counts, begun = Random(f"{seed} {variant}"), Counter[str](), time.monotonic()
    for number in range(positions):
        if number % EACH == 0:
            deal = deal_of(variant, chance)
        counts += judge(begin(create_guest(), deal, chance, chance.randint(0, RANDOM_MOVES)), chance)
        print(f"\r{variant}: {number + 1} of {positions}", end="", file=sys.stderr, flush=True)
    print(f" in {time.monotonic() - begun:.0f} s", file=sys.stderr)
    reached = (
        counts["won"] == counts["winnable"]
        and counts["named"] == counts["won after"] == counts["lost"]
        and not counts["loops"] + counts["over"]
    )
    figures = " ".join(f"{counts[column]:>{len(column)}}" for column in COLUMNS)
    print(f"{variant:<14} {figures}   {'ok' if reached else 'MISSED'}", flush=True)
    return reached


@dataclass
class Waits:
    """Waiting times: for answers, and after each for a bare page, which shows how busy the machine is."""

    answers: list[float] = field(default_factory=list)
    bare: list[float] = field(default_factory=list)

    def ask(self, attempts: list[Attempt], client: Client) -> None:
        """Ask for a hint at each table until there is one, as the page does."""
        from django.db import connections

        for attempt in attempts:
            begun = time.monotonic()
            while client.post(f"/table/{attempt.public_id}/hint").status_code == 202:
                time.sleep(0.25)
            answered = time.monotonic()
            client.get("/healthz")
            self.answers.append(answered - begun)
            self.bare.append(time.monotonic() - answered)
        connections.close_all()

    def measure(self, variant: str, players: int, chance: Random) -> None:
        """Have players ask at once, each at other positions."""
        from django.test import Client

        from accounts.guests import BACKEND, create_guest

        threads, deals = [], [deal_of(variant, chance) for _ in range(ASKED)]
        for _ in range(players):
            player, client = create_guest(), Client()
            client.force_login(player, backend=BACKEND)
            client.get("/")  # the first page of a process loads much else
            attempts = [begin(player, deal, chance, chance.randint(5, RANDOM_MOVES)) for deal in deals]
            threads.append(threading.Thread(target=self.ask, args=(attempts, client)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def measure_waits(variants: list[str], players: int, seed: str) -> bool:
    """Have players ask at once, print their waiting times, and return whether the target is met."""
    from games import events
    from games.hints import questions

    events.request_task = lambda _name, question, **_: bool(questions.answer_soon(question))
    waits, chance = Waits(), Random(f"{seed} waits")
    for variant in variants:
        waits.measure(variant, players, chance)
    print(f"{players} players at once, {len(waits.answers)} answers")
    for name, found in {"answer": waits.answers, "bare page": waits.bare}.items():
        print(f"{name:<10} median {statistics.median(found):.2f} s, p95 {p95(found):.2f} s, longest {max(found):.2f} s")
    reached = p95(waits.answers) < P95_AIM_S
    print("ok" if reached else "MISSED")
    return reached


def p95(seconds: list[float]) -> float:
    """Return the 95th percentile."""
    return sorted(seconds)[min(len(seconds) - 1, int(0.95 * len(seconds)))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", nargs="*", default=list(CATALOGUE), metavar="VARIANT")
    parser.add_argument(
        "--positions", type=int, default=200, help="per variant, 0 to skip the games (default: %(default)s)"
    )
    parser.add_argument("--players", type=int, default=6, help="asking at once (default: %(default)s)")
    parser.add_argument("--seed", default=secrets.token_hex(4), help="of the positions (default: a new one)")
    options = parser.parse_args()
    print("switched off: limits of requests; processes of their own for searches, except where players ask at once")
    print(f"{options.positions} positions each; --seed {options.seed}")
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as var:
        os.environ.update(DJANGO_SETTINGS_MODULE="config.settings", LOG_LEVEL="WARNING", VAR_DIR=var, DEBUG="1")
        for name in ("DATABASE_URL", "REDIS_URL"):
            os.environ.pop(name, None)
        return run(options)


def measure_games(options: argparse.Namespace) -> list[bool]:
    """Measure each variant; return which targets are met."""
    from games.hints.asking import Searcher

    print(f"{'variant':<14} {' '.join(COLUMNS)}")
    with patch.object(Searcher, "ask", lambda _self, position, _limit, _is_wanted: searched(position)):
        return [measure(variant, options.positions, options.seed) for variant in options.variants]


def run(options: argparse.Namespace) -> int:
    """Measure with a new database, and return the exit code."""
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    from games.hints import questions

    settings.RATELIMIT_ENABLE = False
    settings.ALLOWED_HOSTS = ["testserver"]
    call_command("migrate", verbosity=0)
    try:
        reached = measure_games(options) if options.positions else []
        if options.players:
            reached.append(measure_waits(options.variants, options.players, options.seed))
    finally:
        questions.dismiss()
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
