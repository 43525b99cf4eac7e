"""The ways of cheating of `benchmarks.cheating`, played against the services at shifted times."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from random import Random
from typing import Final
from unittest.mock import patch

from allauth.account.models import EmailAddress
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import BACKEND
from games.attempts.lifecycle import close_attempt, start_attempt
from games.core.errors import Refusal
from games.core.ladders import Ladder
from games.live.table_registry import LiveTables
from games.models import Attempt, Deal
from games.races import heats, matchmaking, race_finish, race_start, seats
from games.races.models import Entrant, Race, Room
from games.rules import open_table
from leaderboards.boards import board_queries
from leaderboards.models import Rating
from leaderboards.ratings import rating_board, rating_reconciler
from tests.games.fairplay.copying import played, solved
from tests.games.fairplay.scripted import CLEAN, begun, finish, play, sign_up, unhurried, verdict
from tests.games.seats import Seat
from tests.leaderboards import factory, playing_before, raced

ADDRESS: Final = "203.0.113.7"
#: Days before the last one on which an account prepares, and games it resigns at sight on each of them.
PREPARED: Final = 4
RESIGNED: Final = ("stonewall", "plot", "tarot")
#: Tokens of a daily game that a helper in a heat has played.
PLAYED: Final = 60
#: Mean gaps between tokens are tried from here, in ms, by this factor; their logarithms vary by `SPREAD`.
SHORTEST: Final = 60.0
SLOWER: Final = 1.2
SPREAD: Final = 0.6
#: Meetings of two players on a day; any more have never counted for ratings.
MEETINGS: Final = 5
#: Honest players with a rating, and their races.
RIVALS: Final = 20
RACES: Final = 25
#: A person's accounts in a full heat.
DIVISION: Final = heats.DIVISION
VARIANT: Final = "pigtail"
Line = Sequence[str]


@dataclass
class Price:
    """The price of a place: accounts, days from the first sign-up to the last game, games played for it before, and
    seconds at the table; `is_beyond` if none was found, and `is_free` if it took no game of the day.
    """

    place: str
    accounts: int = 1
    days: int = 1
    played: int = 0
    seconds: float = 0.0
    points: int = 0
    is_beyond: bool = False
    is_free: bool = True
    note: str = ""
    met: bool | None = None

    def __str__(self) -> str:
        figures = f"{self.accounts:>9}{self.days:>6}{self.played:>8}{self.seconds:>9.0f}"
        return f"{self.place:<44}{'not found'.rjust(32) if self.is_beyond else figures}  {self.note}".rstrip()


class Clock:
    """The time that the services read."""

    def __init__(self) -> None:
        self.now = factory.NOON

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **units: float) -> None:
        """Let time pass."""
        self.now += timedelta(**units)


@contextmanager
def shifted() -> Iterator[Clock]:
    """Run the services on a clock of their own, on a day with a deal to begin (processes remember it)."""
    clock = Clock()
    with patch.object(timezone, "now", clock):
        playing_before.deal("plot", 0)
        yield clock


@contextmanager
def undone() -> Iterator[None]:
    """Roll back what happens in this block."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
    cache.clear()


def fresh(variant: str, chance: Random) -> tuple[bytes, Line]:
    """Return the seed of a deal that the solver wins, and its line."""
    while True:
        seed = chance.randbytes(32)
        if line := solved(variant, seed):
            return seed, line


def paced(tokens: Line, mean_ms: float, chance: Random) -> list[int]:
    """Return the times of tokens at a mean gap in ms."""
    gaps = (mean_ms * chance.lognormvariate(-(SPREAD**2) / 2, SPREAD) for _ in tokens)
    return [round(ms) for ms in accumulate(gaps)]


def shortest(tokens: Line, chance: Random, passes: Callable[[list[int]], bool]) -> list[int] | None:
    """Return the times at the shortest mean gap for which `passes` is true; None if that would take minutes more."""
    for step in range(24):
        clock = paced(tokens, SHORTEST * SLOWER**step, chance)
        with undone():
            if passes(clock):
                return clock
    return None


# Daily deals.


@dataclass
class Days:
    """The deals of one variant on consecutive days, with solver's lines; the first is today's."""

    variant: str
    deals: list[tuple[Deal, Line]]
    clock: Clock
    chance: Random
    best: list[int]

    @classmethod
    @contextmanager
    def of(cls, variant: str, chance: Random) -> Iterator[Days]:
        """Create the deals, and an honest player of either ladder at today's."""
        with shifted() as clock:
            deals = []
            for ago in range(PREPARED + 1):
                seed, line = fresh(variant, chance)
                deals.append((factory.deal(variant, factory.DAY - timedelta(days=ago), seed), line))
            today, line = deals[0]
            for honest in (playing_before.established(), playing_before.player()):
                moves = played(variant, bytes(today.seed), chance, 0.1).moves
                assert verdict(play(today, moves, who=honest)) == CLEAN
            best = shortest(line, chance, lambda clock: verdict(play(today, line, clock)) == CLEAN)
            assert best is not None, "no pace passes"
            yield cls(variant, deals, clock, chance, best)

    def newcomer(self) -> Price:
        """Return the price of rank 1 among newcomers."""
        today, line = self.deals[0]
        with undone():
            browser = Client()
            attempt = begun(browser, ADDRESS, self.variant)
            verdict(finish(attempt, line, self.best))
            assert sign_up(browser, "Cheat of Talon")
            first = board_queries.page(today, ladder=Ladder.NEWCOMERS).entries
            reached = bool(first) and first[0].attempt == attempt.public_id
        seconds = self.best[-1] / 1000
        return Price(f"rank 1, newcomers, {self.variant}", seconds=seconds, is_beyond=not reached)

    def established(self, most_days: int) -> Price:
        """Return the price of rank 1 among the established; the youngest account first, then the fewest games."""
        for age in range(most_days + 1):
            for games in range(min(age, PREPARED) + 1):
                with undone():
                    seconds = self._established(age, games)
                if seconds is not None:
                    place, note = f"rank 1, established, {self.variant}", "with a confirmed address"
                    return Price(place, days=age + 1, played=games, seconds=seconds, note=note)
        return Price(f"rank 1, established, {self.variant}", is_beyond=True, note=f"within {most_days} days")

    def _established(self, age: int, games: int) -> float | None:
        """Try an account that is `age` days old, with `games` wins on the last days and other games resigned at sight.

        Return the seconds at the table if it reaches rank 1, else None.
        """
        today, line = self.deals[0]
        cheat = factory.player(date_joined=today.opens_at - timedelta(days=age, minutes=1))
        EmailAddress.objects.create(user=cheat, email="cheat@example.org", verified=True, primary=True)
        attempts = []
        for ago in range(min(age, PREPARED), 0, -1):
            deal, win = self.deals[ago]
            self.clock.now = deal.opens_at + timedelta(hours=3)
            if ago <= games:
                pace = 2 * self.best[-1] / len(line)
                attempts.append(play(deal, win, paced(win, pace, self.chance), who=cheat))
            others = [playing_before.deal(variant, ago) for variant in RESIGNED if variant != self.variant]
            attempts.extend(start_attempt(cheat, other, now=self.clock.now) for other in others)
            for attempt in attempts:
                verdict(attempt)
        self.clock.now = today.opens_at + timedelta(hours=3)
        attempts.append(play(today, line, self.best, who=cheat))
        if verdict(attempts[-1]) != CLEAN or attempts[-1].ladder != Ladder.ESTABLISHED:
            return None
        if board_queries.rank_of(today, "race", cheat) != 1:
            return None
        return sum(attempt.elapsed_ms or 0 for attempt in attempts) / 1000


# Races.


@dataclass(frozen=True)
class Member:
    """One of a person's players, in a browser of their own."""

    browser: Client
    address: str

    @classmethod
    def account(cls, address: str = ADDRESS) -> Member:
        """Return a new account that has begun a game of the day and resigned it."""
        browser = Client(REMOTE_ADDR=address)
        browser.force_login(factory.player(date_joined=timezone.now()), backend=BACKEND)
        verdict(begun(browser, address))
        return cls(browser, address)

    @classmethod
    def guest(cls, address: str = ADDRESS) -> Member:
        """Return a visitor who becomes a guest with the first seat."""
        return cls(Client(REMOTE_ADDR=address), address)

    @property
    def player(self) -> User:
        """Return the player of this session."""
        return User.objects.get(pk=self.browser.session["_auth_user_id"])

    def enter(self, path: str, **fields: str) -> bool:
        """Take a seat; return whether that was allowed."""
        response = self.browser.post(path, fields)
        return response.status_code == 302 and "_auth_user_id" in self.browser.session


def race_of(member: Member) -> Race:
    """Return the race that a player waits for or plays in."""
    return Race.objects.get(entrants__player=member.player, entrants__state__in=race_finish.ACTIVE)


def get_ready(members: Sequence[Member]) -> None:
    """Mark the seated members ready."""
    for member in members:
        room = seats.room_of(member.player.pk)
        if room is not None:
            with suppress(Refusal):
                seats.set_ready(room.pk, member.player.pk, ready=True)


def run_race(clock: Clock, winner: Member, tokens: Line | None = None, times: list[int] | None = None) -> Entrant:
    """Run the race that counts down: all others resign, and the winner plays, by default until a card is up."""
    race = race_of(winner)
    assert race.state == Race.State.COUNTDOWN
    assert race.starts_at is not None
    assert race.deal is not None
    clock.now = race.starts_at + timedelta(seconds=1)
    attempts = {entrant.player_id: entrant.attempt for entrant in race.entrants.select_related("attempt__deal")}
    race_start.begin_due(clock.now)
    race_start.mark_dealt([attempt.pk for attempt in attempts.values() if attempt], clock.now)
    own = attempts.pop(winner.player.pk)
    assert own is not None
    for attempt in attempts.values():
        assert attempt is not None
        close_attempt(attempt.pk, "resigned", at=clock.now)
    if tokens is None:
        moves = played(race.variant, bytes(race.deal.seed), Random(race.pk)).moves
        tokens = moves[: next((n for n, token in enumerate(moves, 1) if token.endswith("f")), len(moves))]
    times = unhurried(tokens) if times is None else times
    finish(own, tokens, times)
    clock.now = race.starts_at + timedelta(milliseconds=times[-1])
    for attempt in [*attempts.values(), own]:
        assert attempt is not None
        attempt.refresh_from_db()
        verdict(attempt)
    race_finish.settle_done(race.pk, clock.now)
    race_finish.finish(race.pk, clock.now)
    return Entrant.objects.select_related("attempt", "race").get(race=race, player=winner.player)


def quick_match(clock: Clock, members: Sequence[Member], variant: str = VARIANT) -> Race | None:
    """Seat these players in one quick match and start its countdown; return None if they don't meet."""
    for member in members:
        if not member.enter("/races/quick", variant=variant):
            return None
    get_ready(members)
    matchmaking.advance_all()
    clock.forward(seconds=matchmaking.GATHERING.total_seconds() + 1)
    matchmaking.advance_all()
    race = race_of(members[0])
    return race if race.state == Race.State.COUNTDOWN else None


# The rating.


def _pairs(members: Sequence[Member], matches: int) -> Iterator[Sequence[Member]]:
    for n in range(matches):
        yield (members[0], members[1 + n % (len(members) - 1)])


def _all_at_once(members: Sequence[Member], matches: int) -> Iterator[Sequence[Member]]:
    for _ in range(matches):
        yield members


def _chain(members: Sequence[Member], matches: int) -> Iterator[Sequence[Member]]:
    """Each account beats the next, the last ones first, so that the first beats players of high rating."""
    links = [members[n : n + 2] for n in reversed(range(len(members) - 1))]
    for n in range(matches):
        yield links[n % len(links)]


def _halves(members: Sequence[Member], matches: int) -> Iterator[Sequence[Member]]:
    """One half feeds the other, and then that one the first account."""
    half = (len(members) + 1) // 2
    for n in range(matches):
        helper = members[1 + n % max(1, half - 1)]
        yield (helper, *members[half:]) if n < matches // 2 else (members[0], *members[1:half])


Schedule = Callable[[Sequence[Member], int], Iterator[Sequence[Member]]]
SCHEDULES: Final[dict[str, Schedule]] = {
    "pairs": _pairs,
    "all at once": _all_at_once,
    "a chain": _chain,
    "halves": _halves,
}


def rating(accounts: int, matches: int, chance: Random) -> Iterator[Price]:
    """Yield the price of a place in the top 10 with each schedule, from one network and from many."""
    networks = {"one network": [ADDRESS] * accounts, "many networks": [f"198.51.{n}.7" for n in range(accounts)]}
    with shifted() as clock:
        _rated_rivals(chance)
        for network, addresses in networks.items():
            for name, schedule in SCHEDULES.items():
                price = _cheapest_feeding(clock, addresses, matches, schedule)
                price.place = f"top 10 rating, {network}, {name}"
                yield price


def _rated_rivals(chance: Random) -> None:
    strengths = {playing_before.established(): chance.gauss(0, 1) for _ in range(RIVALS)}
    for n in range(RACES):
        field = chance.sample(list(strengths), DIVISION)
        field.sort(key=lambda who: strengths[who] + chance.gauss(0, 0.7), reverse=True)
        raced.race(field, at=factory.NOON - timedelta(days=RACES - n))
    rating_reconciler.rate_finished()
    assert len(rating_board.top(10)) == 10


def _cheapest_feeding(clock: Clock, addresses: Sequence[str], matches: int, schedule: Schedule) -> Price:
    """Return the price with all accounts or, if that works, with the fewest that work."""
    price = None
    for count in [len(addresses), *(n for n in (2, 3, 5, 8) if n < len(addresses))]:
        with undone():
            tried = _feed(clock, addresses[:count], matches, schedule)
        price = price or tried
        if price.is_beyond or (tried is not price and not tried.is_beyond):
            return tried
    assert price is not None
    return price


def _feed(clock: Clock, addresses: Sequence[str], matches: int, schedule: Schedule) -> Price:
    """Play quick matches by a schedule until the first account is in the top 10."""
    clock.now = began = factory.NOON
    members = [Member.account(address) for address in addresses]
    met: Counter[frozenset[int]] = Counter()
    main, seconds, number = members[0].player, 0.0, 0
    for group in schedule(members, matches):
        winner, *others = (member.player.pk for member in group)
        if any(met[frozenset((winner, other))] >= MEETINGS for other in others):
            met.clear()
            clock.now = (clock.now + timedelta(days=1)).replace(hour=12, minute=0)
        before = clock.now
        if quick_match(clock, group) is None:
            break
        run_race(clock, group[0])
        number += 1
        seconds += (clock.now - before).total_seconds()
        rating_reconciler.rate_finished()
        met.update(frozenset((winner, other)) for other in others)
        if any(row.player == main.public_id for row in rating_board.top(10)):
            break
    row = Rating.objects.filter(player=main).first()
    points = 0 if row is None else round(row.mu - 1500)
    reached = any(line.player == main.public_id for line in rating_board.top(10))
    days, note = (clock.now - began).days + 1, f"{points:+d} points in {number} matches of {len(members)}"
    return Price("", len(members), days, number, seconds, points, not reached, note=note)


# A rated race, and a heat.


def rated_race(chance: Random) -> Price:
    """Return the price of winning a rated race by looking ahead at the stock."""
    place, (seed, line) = "a rated race, looking ahead", fresh(VARIANT, chance)
    if refusal := _refused_look():
        return Price(place, is_beyond=True, note=f"taking the stock back is refused: {refusal}")
    table, look = open_table(VARIANT, seed), list[str]()
    while "d" in table.legal_moves():
        table.push("d")
        look.append("d")
    tokens = [*look, *["u"] * len(look), *line]

    def passes(times: list[int]) -> bool:
        entrant = race(times)
        return entrant.place == 1 and entrant.attempt is not None and verdict(entrant.attempt) == CLEAN

    def race(times: list[int]) -> Entrant:
        clock.now = factory.NOON
        members = [Member.account(), Member.account("198.51.100.9")]
        found = quick_match(clock, members)
        assert found is not None
        Deal.objects.filter(races=found).update(seed=seed)
        return run_race(clock, members[0], tokens, times)

    with shifted() as clock:
        times = shortest(tokens, chance, passes)
    return Price(place, seconds=times[-1] / 1000) if times else Price(place, is_beyond=True)


def _refused_look() -> str:
    """Draw a card in a rated race and take it back; return the code of the refusal, or "" if that is allowed."""
    members = [Member.account(), Member.account("198.51.100.9")]
    for member in members:
        assert member.enter("/races/quick", variant=VARIANT)
    get_ready(members)
    race = race_of(members[0])
    assert race_start.freeze(race.pk, countdown=timedelta(0))
    race_start.begin_due(timezone.now() + timedelta(milliseconds=5))
    player = members[0].player
    attempt = Attempt.objects.get(entrant__race=race, player=player)
    race_start.mark_dealt([attempt.pk])

    async def look() -> str:
        tables = LiveTables()
        seat = Seat(tables, attempt.public_id, player)
        await seat.sit()
        await seat.move("d")
        answers = [await seat.move("u")]
        if answers[0]["type"] == "error":
            answers.append(await seat.ask({"type": "rewind", "n": seat.n + 1}))
        await seat.leave()
        await tables.close()
        return str(answers[0]["code"]) if all(answer["type"] == "error" for answer in answers) else ""

    return asyncio.run(look())


def heat() -> Iterator[Price]:
    """Yield the price of a full heat's points, for each kind of one's own players who resign."""
    kinds: dict[str, Callable[[], Member]] = {
        "own guests": Member.guest,
        "own new accounts": Member.account,
        "own accounts with a played game": _with_a_game,
    }
    with shifted() as clock:
        with undone():
            alone = _heat(clock, [])[0]
        for kind, member in kinds.items():
            clock.now = factory.NOON
            with undone():
                points, seconds = _heat(clock, [member() for _ in range(DIVISION - 1)])
            note = f"{points - alone:+d} points of {DIVISION - 1}"
            is_free = member is not _with_a_game
            played = 0 if is_free else DIVISION - 1
            yield Price(f"a heat, {kind}", DIVISION, 1, played, seconds, points - alone, points == alone, is_free, note)


def _with_a_game() -> Member:
    member = Member.account()
    deal = playing_before.deal("tarot", 0)
    assert verdict(play(deal, factory.line(deal, PLAYED), who=member.player)) == CLEAN
    return member


def _heat(clock: Clock, feeders: Sequence[Member]) -> tuple[int, float]:
    """Return the points of an established account in a heat against these players, and the seconds it took."""
    members = [Member.account(), *feeders]
    start = heats.next_start(clock.now)
    clock.now = start - timedelta(minutes=5)
    room = heats.next_room(clock.now)
    assert isinstance(room, Room)
    for member in members:
        assert member.enter(f"/races/{room.code}/sit")
    get_ready(members)
    clock.now = start - heats.FROZEN
    heats.advance_all(clock.now)
    entrant = run_race(clock, members[0])
    return entrant.points or 0, (clock.now - start).total_seconds()
