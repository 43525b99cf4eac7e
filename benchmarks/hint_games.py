"""Games won by hints alone: certified deals, 0 to 15 random moves, and from there nothing but hints.

`python -m benchmarks.hint_games [VARIANT ...] [--positions N] [--minutes M] [--seed SEED] [--first N] [--players N]`;
exit code 1 if an aim is missed. Each deal serves for five positions. Half of the searches answer late, so that the
previous hint is provisional. The aims:

- every game that is winnable and decided is won; no hint leads to an earlier position or undoes the previous hint;
- it takes at most twice par, besides the moves taken back;
- the first hint in a lost position names the position to return to, and from there the game is won;
- no game takes more than a minute of CPU;
- with several players asking at once, each in positions of their own, 95% of the answers come within 2 s.

A position depends only on the seed and its number, so `--seed S --first N --positions 1` repeats one that is listed as
missed. A variant ends early after `--minutes`; the first column says how many positions were played. The run uses a
SQLite database of its own.
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
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

from games.rules import CATALOGUE, open_table
from games.solver import Budget, Solution, shorten, solve

if TYPE_CHECKING:
    from django.test import Client

    from accounts.models import User
    from games.hints.advice import Advice
    from games.hints.position_search import PositionVerdict
    from games.models import Attempt, Deal

RANDOM_MOVES: Final = 15
#: Positions per deal.
EACH: Final = 5
#: Budget to certify a deal in search positions, and the share of searches that answer late.
CERTIFYING: Final = 300_000
LATE: Final = 0.5
#: Deals of each variant for the players who ask at once, and positions that each player asks about.
ASKED_DEALS: Final = 2
ASKED: Final = 5
P95_AIM_S: Final = 2.0
#: More hints than this count as a loop.
MOST_HINTS: Final = 2_000
#: CPU seconds after which a game is abandoned as slow.
MOST_CPU: Final = 60.0
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
    "slow",
)


def begin(player: User, deal: Deal, chance: Random, moves: int, opening: Iterable[str] = ()) -> Attempt:
    """Start a practice attempt with an opening and then random moves, as long as any is legal."""
    from games.attempts.lifecycle import deal_table, start_attempt

    attempt, table = start_attempt(player, deal), deal_table(deal)
    for token in opening:
        table.push(token)
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
    """Return the seed of a winnable deal and a winning line."""
    while True:
        seed = chance.randbytes(32)
        found = solve(open_table(variant, seed), Budget(nodes=CERTIFYING))
        if isinstance(found, Solution):
            return seed, shorten(open_table(variant, seed), found.tokens)


def play(attempt: Attempt, *tokens: str) -> None:
    """Append moves to the attempt's journal."""
    from games.models import Move

    first = attempt.moves.count() + 1
    Move.objects.bulk_create(Move(attempt=attempt, n=n, token=token, ms=n) for n, token in enumerate(tokens, first))


class Game:
    """A game played by hints alone, with counts of its moves and faults."""

    def __init__(self, attempt: Attempt, chance: Random | None) -> None:
        """Start from the attempt's position; `chance` decides which answers come late, None means none."""
        from games.hints import questions
        from games.solver.quick_shortening import signature

        self.attempt = attempt
        self.chance = chance
        self.table = questions.table_of(attempt, None)
        self.loops = self.forward = self.back = 0
        self.is_slow = False
        self.first: Advice | None = None
        self._seen = {signature(self.table)}
        self._previous: Advice | None = None

    def run(self) -> None:
        """Follow hints until the game is won, there is none, or they take too long."""
        from games.core.errors import Refusal

        latest = time.process_time() + MOST_CPU
        while not self.table.is_won and self.forward + self.back < MOST_HINTS:
            self.is_slow = time.process_time() > latest
            if self.is_slow:
                return
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
        from games.solver.quick_shortening import signature

        is_back = advice.token == "u"
        if is_back and self._previous is not None and self._previous.token != "u":
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
def searched(position: str) -> PositionVerdict:
    """Search a position in this process, with the full budget of a question."""
    from games.hints.position_search import FULL, PositionQuestion, search

    return next(search(PositionQuestion(position, FULL)))


def truth(attempt: Attempt) -> str:
    """Return whether the game can be won, as far as the search of a question decides."""
    from games.hints import questions

    table = questions.table_of(attempt, None)
    return "yes" if table.is_won else searched(table.position()).answer


def judge(attempt: Attempt, chance: Random | None) -> Counter[str]:
    """Play one position by hints, and return its counts."""
    answer, game = truth(attempt), Game(attempt, chance)
    game.run()
    won = game.table.is_won
    counts = Counter(positions=1, loops=bool(game.loops), slow=game.is_slow)
    counts["over"] += won and game.forward > 2 * (attempt.deal.par or 0)
    if answer == "yes":
        counts.update(winnable=1, won=won)
    elif answer == "no":
        named = game.first is not None and game.first.why in {"back", "return"} and game.first.moves > 0
        counts.update({"lost": 1, "named": named, "won after": won})
    else:
        counts.update({"unknown": 1, "won anyway": won})
    return counts


def reaches_aims(counts: Counter[str]) -> bool:
    """Return whether the counts of one or more positions reach the aims."""
    return (
        counts["won"] == counts["winnable"]
        and counts["named"] == counts["won after"] == counts["lost"]
        and not counts["loops"] + counts["over"] + counts["slow"]
    )


class Positions:
    """The positions of a variant, each decided by the seed and its number alone."""

    def __init__(self, variant: str, seed: str) -> None:
        self._variant = variant
        self._seed = f"{seed} {variant}"
        self._deal: tuple[int, Deal] | None = None
        self.certifying = 0.0  # seconds spent on finding winnable deals

    def judge(self, number: int) -> Counter[str]:
        """Play a position by hints, and return its counts."""
        from accounts.sign_in.guests import create_guest

        chance = Random(f"{self._seed} {number}")
        attempt = begin(create_guest(), self._deal_of(number // EACH), chance, chance.randint(0, RANDOM_MOVES))
        return judge(attempt, chance)

    def _deal_of(self, number: int) -> Deal:
        if self._deal is None or self._deal[0] != number:
            begun = time.monotonic()
            self._deal = number, deal_of(self._variant, Random(f"{self._seed} deal {number}"))
            self.certifying += time.monotonic() - begun
        return self._deal[1]


def measure(variant: str, numbers: Iterable[int], seed: str, minutes: float) -> bool:
    """Play the positions of a variant, print the counts, and return whether they reach the aims."""
    positions, counts, begun = Positions(variant, seed), Counter[str](), time.monotonic()
    for number in numbers:
        if time.monotonic() - begun > 60 * minutes:
            break
        found = positions.judge(number)
        counts += found
        if not reaches_aims(found):
            print(f"{variant} {number} missed: {dict(found)}", flush=True)
        spent = f"{time.monotonic() - begun:.0f} s, {positions.certifying:.0f} s of it certifying"
        print(f"\r{variant} {number}: {spent}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    figures = " ".join(f"{counts[column]:>{len(column)}}" for column in COLUMNS)
    print(f"{variant:<14} {figures}   {'ok' if reaches_aims(counts) else 'MISSED'}", flush=True)
    return reaches_aims(counts)


@dataclass
class Waits:
    """Seconds that players wait for answers, and after each for a bare page, which shows how busy the machine is."""

    answers: list[float] = field(default_factory=list)
    bare: list[float] = field(default_factory=list)

    def ask(self, tables: list[tuple[Client, Attempt]]) -> None:
        """Ask for a hint at each table until there is one, as the page does."""
        from django.db import connections

        for client, attempt in tables:
            begun = time.monotonic()
            while client.post(f"/table/{attempt.public_id}/hint").status_code == 202:
                time.sleep(0.25)
            answered = time.monotonic()
            client.get("/healthz")
            self.answers.append(answered - begun)
            self.bare.append(time.monotonic() - answered)
        connections.close_all()

    def measure(self, variant: str, players: int, chance: Random) -> None:
        """Have players ask at once, each in positions of their own."""
        deals = [deal_of(variant, chance) for _ in range(ASKED_DEALS)]
        threads = [
            threading.Thread(target=self.ask, args=([seat(deal, chance) for deal in islice(cycle(deals), ASKED)],))
            for _ in range(players)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def seat(deal: Deal, chance: Random) -> tuple[Client, Attempt]:
    """Begin a game as a new guest, since a player has only one unfinished game of a deal."""
    from django.test import Client

    from accounts.sign_in.guests import BACKEND, create_guest

    player, client = create_guest(), Client()
    client.force_login(player, backend=BACKEND)
    client.get("/")  # the first page of a process loads much that has nothing to do with hints
    return client, begin(player, deal, chance, chance.randint(5, RANDOM_MOVES))


def measure_waits(variant: str, players: int, seed: str) -> bool:
    """Have players ask at once, print how long they wait, and return whether the aim is reached."""
    waits = Waits()
    waits.measure(variant, players, Random(f"{seed} {variant} waits"))
    reached = p95(waits.answers) < P95_AIM_S
    figures = " ".join(
        f"{function(seconds):>8.2f}"
        for seconds in (waits.answers, waits.bare)
        for function in (statistics.median, p95, max)
    )
    print(f"{variant:<14} {len(waits.answers):>7} {figures}   {'ok' if reached else 'MISSED'}", flush=True)
    return reached


def measure_all_waits(options: argparse.Namespace) -> list[bool]:
    """Measure how long players wait in each variant; return whether the aims are reached."""
    from games.core import events
    from games.hints import questions

    events.request_task = lambda _name, question, **_: bool(questions.enqueue(question))
    print(f"{options.players} players at once; seconds until an answer, and until a bare page right after it")
    print(f"{'variant':<14} {'answers':>7} {' '.join(f'{column:>8}' for column in 2 * ('median', 'p95', 'longest'))}")
    return [measure_waits(variant, options.players, options.seed) for variant in options.variants]


def p95(seconds: list[float]) -> float:
    """Return the 95th percentile."""
    return sorted(seconds)[min(len(seconds) - 1, int(0.95 * len(seconds)))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", nargs="*", default=list(CATALOGUE), metavar="VARIANT")
    parser.add_argument(
        "--positions", type=int, default=200, help="per variant, 0 to skip the games (default: %(default)s)"
    )
    parser.add_argument("--minutes", type=float, default=10, help="at most for each variant (default: %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="number of the first position (default: %(default)s)")
    parser.add_argument("--players", type=int, default=6, help="who ask at once, 0 for none (default: %(default)s)")
    parser.add_argument("--seed", default=secrets.token_hex(4), help="of the positions (default: a new one)")
    options = parser.parse_args()
    print("switched off: rate limits; search processes, except where players ask at once")
    print(f"{options.positions} positions each; --seed {options.seed}", flush=True)
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as var:
        os.environ.update(DJANGO_SETTINGS_MODULE="config.settings", LOG_LEVEL="WARNING", VAR_DIR=var, DEBUG="1")
        for name in ("DATABASE_URL", "REDIS_URL"):
            os.environ.pop(name, None)
        return run(options)


def measure_games(options: argparse.Namespace) -> list[bool]:
    """Measure the games of each variant; return whether the aims are reached."""
    from games.hints.position_search import Searcher

    print(f"{'variant':<14} {' '.join(COLUMNS)}")
    with patch.object(Searcher, "ask", lambda _self, position, _limit, _is_wanted: searched(position)):
        numbers = range(options.first, options.first + options.positions)
        return [measure(variant, numbers, options.seed, options.minutes) for variant in options.variants]


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
            reached += measure_all_waits(options)
    finally:
        questions.dismiss()
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
