"""The ways of cheating of `benchmarks.cheating`, played on a running site over HTTP and WebSockets.

Only what a person cannot hurry is written to the database: dates, confirmed addresses, honest rivals and the start of a
heat.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from itertools import accumulate, product
from random import Random
from typing import Final

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import DateField, F
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from benchmarks.cheating_client import CHEAT, PATIENCE, Leaver, Line, Member, Message, Table
from games.core.ladders import Ladder
from games.fairplay import pace, random_delays
from games.models import Attempt, Deal, Start
from games.races import heats, rooms
from games.races.models import Entrant, Race, RaceOrigin, Room
from games.races.room_notifications import notify_room
from games.rules import CATALOGUE, commitment, open_table
from leaderboards.boards import board_queries
from leaderboards.boards.rank_keys import BoardScore
from leaderboards.models import Rating, RatingChange
from leaderboards.ratings import rating_board, rating_reconciler
from leaderboards.ratings.formula import MU
from tests import factories
from tests.factories import make_account, make_deal
from tests.games.fairplay.copying import solved
from tests.leaderboards import raced

#: Addresses of the same network for the helpers in a heat: sign-ups are limited by address.
NEIGHBOURS: Final = [f"203.0.113.{100 + n}" for n in range(heats.DIVISION - 1)]
#: Days before the last one on which an account prepares, and games it resigns at sight on each of them.
PREPARED: Final = 4
RESIGNED: Final = ("stonewall", "plot", "tarot")
#: Tokens of a daily game that a helper in a heat has played, and their mean gap in ms.
PLAYED: Final = 80
UNHURRIED: Final = 900.0
#: Mean gaps between tokens are tried from here, in ms, by this factor; their logarithms vary by `SPREAD`.
SHORTEST: Final = 60.0
SLOWER: Final = 1.2
SPREAD: Final = 0.6
#: A pace must pass even if the network shortens all gaps by this share.
MARGIN: Final = 0.05
#: Seconds between two moves of a race, and most moves until a card is up.
PACE: Final = (0.6, 1.2)
MOST_MOVES: Final = 40
#: Meetings of two players on a day; any more have never counted for ratings.
MEETINGS: Final = 5
#: Honest players with a rating, and their races, three a day. With fewer players, ordinary ratings are in the top 10.
RIVALS: Final = 60
RACES: Final = 75
#: Time of the honest players on the day's boards, in ms.
HONEST_MS: Final = 600_000
#: A person's accounts in a full heat, and the seconds that they have to get ready for it.
DIVISION: Final = heats.DIVISION
DOORS: Final = 3
VARIANT: Final = "pigtail"
#: Seconds for which the site may still show the deals of the day before.
CACHED: Final = 5.0


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


# Time.


def pass_days(days: int) -> None:
    """Move all players, games and races into the past, by way of a distant one: each day has a single deal."""
    with transaction.atomic():
        for model in (User, Deal, Attempt, Start, Race, RaceOrigin, Rating, RatingChange):
            dates = [column.name for column in model._meta.concrete_fields if isinstance(column, DateField)]
            for shift in (-9999, 9999 - days):
                model.objects.update(**{name: F(name) + timedelta(days=shift) for name in dates})


async def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition in the database."""
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 - the condition is in another process
            await asyncio.sleep(0.2)


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


def shortest(tokens: Line, chance: Random, passes: Callable[[list[int]], bool]) -> list[int]:
    """Return the times at the shortest mean gap for which `passes` is true.

    :raises ValueError: if that would take minutes more.
    """
    for step in range(24):
        clock = paced(tokens, SHORTEST * SLOWER**step, chance)
        if passes([round(ms * (1 - MARGIN)) for ms in clock]):
            return clock
    raise ValueError("no pace passes")


def looks_human(variant: str, tokens: Line, times: list[int]) -> bool:
    """Return whether the checks of the pace, which are public, pass a game."""
    if pace.implausibilities(tokens, times, times[-1], [], variant):
        return False
    return random_delays.timer_sigma(random_delays.timed_moves(tokens, times, []), []) is None


# Daily deals.


@dataclass
class Days:
    """The days of one variant. Every try has fresh deals, and earlier ones move into the past."""

    variant: str
    chance: Random

    async def next_day(self) -> tuple[Deal, Line]:
        """Let a day pass; return its deal, with an honest player of either ladder on the board, and a solver's line."""
        pass_days(1)
        seed, line = fresh(self.variant, self.chance)
        today = Deal.objects.filter(variant=self.variant, day=timezone.now().date())
        if not today.update(seed=seed, commitment=commitment(seed)):
            make_deal(self.variant, seed=seed)
        deal = today.get()
        for ladder in Ladder:
            factories.listed(deal, BoardScore(open_table(self.variant, seed).goal, HONEST_MS, len(line)), ladder=ladder)
        await asyncio.sleep(CACHED)
        return deal, line

    async def win(self, cheat: Member, line: Line) -> tuple[str, Message]:
        """Play the line as fast as the checks of the pace allow; return the attempt and its verdict."""
        attempt = await cheat.begin(self.variant)
        times = shortest(line, self.chance, partial(looks_human, self.variant, line))
        return attempt, await cheat.play_line(line, times)

    async def newcomer(self) -> Price:
        """Return the price of rank 1 among newcomers: a guest plays and signs up."""
        today, line = await self.next_day()
        cheat = Member()
        attempt, verdict = await self.win(cheat, line)
        await cheat.sign_up()
        first = board_queries.page(today, ladder=Ladder.NEWCOMERS).entries
        reached = bool(first) and str(first[0].attempt) == attempt
        place = f"rank 1, newcomers, {self.variant}"
        return Price(place, seconds=verdict["elapsed_ms"] / 1000, is_beyond=not reached, note=doubts(verdict))

    async def established(self, most_days: int) -> Price:
        """Return the price of rank 1 among the established; the youngest account first, then the fewest games."""
        place = f"rank 1, established, {self.variant}"
        youngest = await lowest(most_days, lambda age: self._established(age, min(age, PREPARED)))
        if youngest is None:
            return Price(place, is_beyond=True, note=f"within {most_days} days")
        age, seconds = youngest
        fewest = await lowest(min(age, PREPARED), lambda games: self._established(age, games))
        games, seconds = fewest or (min(age, PREPARED), seconds)
        return Price(place, days=age + 1, played=games, seconds=seconds, note="with a confirmed address")

    async def _established(self, age: int, games: int) -> float | None:
        """Try an account that is `age` days old, with `games` wins on the last days and other games resigned at sight.

        Return the seconds at the table if it reaches rank 1, else None.
        """
        cheat, prepared = Member(), min(age, PREPARED)
        await cheat.sign_up()
        email = f"{cheat.name}@example.org"
        EmailAddress.objects.create(user=cheat.player, email=email, verified=True, primary=True)
        tonight = timezone.now().replace(hour=23, minute=59)
        User.objects.filter(pk=cheat.player.pk).update(date_joined=tonight)
        pass_days(age - prepared)
        spent, flagged = 0, ""
        for ago in range(prepared, 0, -1):
            _, line = await self.next_day()
            if ago <= games:
                _, verdict = await self.win(cheat, line)
                spent, flagged = spent + verdict["elapsed_ms"], flagged + doubts(verdict)
            for variant in RESIGNED:
                await cheat.begin(variant)
                spent += (await cheat.play_line([], []))["elapsed_ms"]
        _, line = await self.next_day()
        _, verdict = await self.win(cheat, line)
        reached = (verdict["state"], verdict["ladder"], verdict["rank"]) == ("verified", "established", 1)
        shown = f"{verdict['state']}, rank {verdict['rank']} of the {verdict['ladder']}"
        print(f"age {age}, {games} games: {shown} {flagged}{doubts(verdict)}", file=sys.stderr, flush=True)
        return (spent + verdict["elapsed_ms"]) / 1000 if reached else None


async def lowest(most: int, tried: Callable[[int], Awaitable[float | None]]) -> tuple[int, float] | None:
    """Return the lowest number up to `most` with which a way works, and its seconds; with more it works as well."""
    found, low = None, 0
    while low <= most:
        middle = (low + most) // 2
        seconds = await tried(middle)
        if seconds is None:
            low = middle + 1
        else:
            found, most = (middle, seconds), middle - 1
    return found


def doubts(verdict: Message) -> str:
    """Return the codes of a verdict's reasons."""
    return ", ".join(reason["code"] for reason in verdict["reasons"])


# Races.


async def run_race(members: Sequence[Member]) -> Entrant:
    """Run the race that these players have seats in: the first plays until a card is up, then all resign.

    Return the first one's entrant once the race is rated.
    """
    is_over = asyncio.Event()

    async def win(table: Table) -> None:
        for _ in range(MOST_MOVES):
            if not table.legal:
                break
            token = next((token for token in table.legal if token.endswith("f")), random.choice(table.legal))
            await asyncio.sleep(random.uniform(*PACE))
            await table.say("move", token=token)
            if token.endswith("f"):
                break
        await table.end()
        is_over.set()

    async def lose(table: Table) -> None:
        await is_over.wait()
        await table.end()

    winner, *others = members
    attempt, *_ = await asyncio.gather(winner.race(win), *(member.race(lose) for member in others))
    entrants = Entrant.objects.select_related("attempt").filter(attempt__public_id=attempt)
    await until(lambda: entrants.filter(race__rating__isnull=False).exists())
    return entrants.get()


async def enter_quick(members: Sequence[Member], variant: str) -> bool:
    """Take seats in a quick match; return whether all of these players got one."""
    return all([await member.enter(reverse("games:race_quick"), variant=variant) for member in members])


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


@dataclass(frozen=True)
class Way:
    """A schedule for quick matches of one variant between accounts at these addresses."""

    place: str
    schedule: Schedule
    variant: str
    addresses: Sequence[str]


async def rating(accounts: int, matches: int, chance: Random) -> list[Price]:
    """Return the price of a place in the top 10 with each schedule, from one network and from many.

    That is the price with all accounts or, if that works, with the fewest that work.
    """
    rated_rivals(chance)

    def ways(count: int, run: int = 0) -> Iterator[Way]:
        names = product(("one network", "many networks"), SCHEDULES)
        for number, (variant, (networks, name)) in enumerate(zip(CATALOGUE, names, strict=False)):
            addresses = [f"10.{run}.{20 * number + n * (networks == 'many networks')}.7" for n in range(count)]
            yield Way(f"top 10 rating, {networks}, {name}", SCHEDULES[name], variant, addresses)

    prices = await feed(list(ways(accounts)), matches)
    for run, count in enumerate((2, 3, 5, 8), 1):
        worked = {price.place for price in prices if not price.is_beyond and price.accounts > count}
        fewer = await feed([way for way in ways(count, run) if way.place in worked], matches)
        better = {price.place: price for price in fewer if not price.is_beyond}
        prices = [better.get(price.place, price) for price in prices]
    return prices


async def feed(ways: Sequence[Way], matches: int) -> list[Price]:
    """Play by these schedules side by side, until the first account is in the top 10; return the prices.

    A day passes after every fifth match, as further meetings of two players on a day do not count.
    """
    teams = [await asyncio.gather(*map(Member.account, way.addresses)) for way in ways]
    prices = [Price(way.place, len(way.addresses), is_beyond=True) for way in ways]
    schedules = [way.schedule(team, matches) for way, team in zip(ways, teams, strict=True)]
    for number, groups in enumerate(zip(*schedules, strict=True)):
        if number and number % MEETINGS == 0:
            pass_days(1)
        rows = zip(prices, ways, teams, groups, strict=True)
        going = [(price, way.variant, team[0], group) for price, way, team, group in rows if price.is_beyond]
        await asyncio.gather(*(_feed(*row, days=1 + number // MEETINGS) for row in going))
        print(f"match {number + 1} of {len(going)} schedules", file=sys.stderr, flush=True)
    return prices


async def _feed(price: Price, variant: str, main: Member, group: Sequence[Member], *, days: int) -> None:
    """Play a quick match that the first of the group wins, and write the main account's points into the price."""
    begun = time.monotonic()
    if not await enter_quick(group, variant):
        return
    await run_race(group)
    price.days, price.played, price.seconds = days, price.played + 1, price.seconds + time.monotonic() - begun
    row = Rating.objects.filter(player=main.player).first()
    price.points = 0 if row is None else round(row.mu - MU)
    price.is_beyond = not is_in_top(main.player)
    price.note = f"{price.points:+d} points in {price.played} matches of {price.accounts}"


def is_in_top(player: User, places: int = 10) -> bool:
    """Return whether the player is among the first on the board of ratings, without the cheats of other schedules."""
    board = [row.player for row in rating_board.top() if row.name == str(player) or not row.name.startswith(CHEAT)]
    return player.public_id in board[:places]


def rated_rivals(chance: Random) -> None:
    """Write regulars and their races of the last weeks to the database."""
    strengths = {make_account(): chance.gauss(0, 1) for _ in range(RIVALS)}
    with transaction.atomic():
        for ago in range(RACES, 0, -1):
            racers = chance.sample(list(strengths), DIVISION)
            racers.sort(key=lambda who: strengths[who] + chance.gauss(0, 0.7), reverse=True)
            race = raced.race(racers, at=timezone.now() - timedelta(days=ago / 3))
            race.entrants.update(standing=Entrant.Standing.REGULAR, link_group=0)
    rating_reconciler.rate_finished()
    assert len(rating_board.top(10)) == 10


# A rated race, and a heat.


async def rated_race() -> Price:
    """Return the price of looking at the stock and taking it back in a rated race."""
    members = [await Member.account(), await Member.account("198.51.100.9")]
    answers: list[Message] = []

    async def look(table: Table) -> None:
        await table.say("move", token="d")
        answers.append(await table.say("move", token="u"))
        if answers[0]["type"] == "error":
            answers.append(await table.say("rewind"))
        await table.end()

    assert await enter_quick(members, VARIANT)
    begun = time.monotonic()
    await asyncio.gather(members[0].race(look), members[1].race(Table.end))
    is_refused = all(answer["type"] == "error" for answer in answers)
    note = f"taking the stock back is {'refused: ' + answers[0]['code'] if is_refused else 'allowed'}"
    return Price(
        "a rated race, looking and taking back", seconds=time.monotonic() - begun, is_beyond=is_refused, note=note
    )


async def heat(chance: Random) -> AsyncIterator[Price]:
    """Yield the price of a full heat's points, for each kind of one's own players who resign."""
    alone, _ = await _heat([])
    for kind in ("own guests", "own guests who leave", "own new accounts", "own accounts with a played game"):
        played = DIVISION - 1 if kind.endswith("game") else 0
        feeders = list(map(Leaver if kind.endswith("leave") else Member, NEIGHBOURS))
        if "accounts" in kind:
            feeders = await asyncio.gather(*map(Member.account, NEIGHBOURS))
        if played:
            await asyncio.gather(*(_play_a_game(member, chance) for member in feeders))
        points, seconds = await _heat(feeders)
        note = f"{points - alone:+d} points of {DIVISION - 1}"
        is_beyond = points == alone
        yield Price(f"a heat, {kind}", DIVISION, 1, played, seconds, points - alone, is_beyond, not played, note)


async def _play_a_game(member: Member, chance: Random) -> None:
    """Play a game of the day until it counts, and resign it."""
    await member.begin("tarot")
    line = factories.line(Deal.objects.get(variant="tarot", day=timezone.now().date()), PLAYED, eager=True)
    verdict = await member.play_line(line, paced(line, UNHURRIED, chance))
    assert verdict["state"] == "verified", verdict


async def _heat(feeders: Sequence[Member]) -> tuple[int, float]:
    """Return the points of a new account in a heat against these players, and its seconds at the table."""
    members = [await Member.account(), *feeders]
    room = rooms.open_room(None, VARIANT, limit_s=heats.LIMIT_S, seats=DIVISION, kind=Room.Kind.HEAT)
    Room.objects.filter(pk=room.pk).update(seats=heats.SEATS)
    races = Race.objects.filter(room=room)
    # Far from the real heats.
    races.update(scheduled_at=timezone.now() + timedelta(minutes=20, seconds=room.pk), division=1)
    for member in members:
        assert await member.enter(reverse("games:race_sit", args=[room.code]))
    racing = asyncio.ensure_future(run_race(members))
    ready = Entrant.objects.filter(race__room=room, state=Entrant.State.READY)
    await until(lambda: ready.count() == len(members))
    races.update(scheduled_at=timezone.now() + heats.FROZEN + timedelta(seconds=DOORS))
    notify_room(room.pk)
    entrant = await racing
    assert entrant.attempt is not None
    return entrant.points or 0, (entrant.attempt.elapsed_ms or 0) / 1000
