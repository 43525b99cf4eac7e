"""Factories of accounts, deals and attempts for all tests.

Guests come from the product's own `create_guest`. Nothing here searches for solutions or plays through the server.
"""

from __future__ import annotations

import itertools
import operator
import random
import secrets
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from importlib import import_module
from typing import Any, Final, Literal

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import BACKEND
from games.attempts.lifecycle import deal_table, start_attempt
from games.core.ladders import Ladder
from games.deals import starter_deals
from games.deals.certification import winning_record
from games.deals.difficulty import goal_of, longest_par
from games.fairplay.copies import digest_of
from games.fairplay.pace import FREE_TOKENS, plays
from games.models import Attempt, Deal, Move, SealedDeal
from games.rules import CATALOGUE, RULES_VERSION, End, Record, RulesError, commitment
from leaderboards.boards import entries
from leaderboards.boards.listings import set_score
from leaderboards.boards.rank_keys import DEAL, BoardScore
from leaderboards.models import Result
from leaderboards.verdicts.settlement import settle
from tests.rules.winning import winning_lines

NOON: Final = datetime(2026, 11, 20, 12, tzinfo=UTC)
DAY: Final = NOON.date()
ONE_DAY: Final = timedelta(days=1)
#: Opening time of the deals of `DAY`.
OPENED: Final = datetime.combine(DAY, time(), UTC)

#: The fewest games that make a player established: variants, and how many days ago.
ON_THREE_DAYS: Final = (("stonewall", 1), ("stonewall", 2), ("plot", 3))

_numbers = itertools.count(1)


# Accounts.


def make_account(name: str = "", *, password: str | None = None, confirmed: str = "", **fields: Any) -> User:
    """Create an account, with a name of its own unless one is given; `confirmed` is its confirmed email address."""
    name = name or f"player{next(_numbers)}-{secrets.token_hex(4)}"
    if confirmed:
        fields = {"email": confirmed, **fields}
    user = User.objects.create_user(name, password=password, **fields)
    if confirmed:
        EmailAddress.objects.create(user=user, email=confirmed, verified=True, primary=True)
    return user


def make_old_account(**fields: Any) -> User:
    """Create a player without games, with a confirmed address and an account older than the deals of `DAY`."""
    user = make_account(**{"date_joined": OPENED - 30 * ONE_DAY, **fields})
    if not user.is_guest:
        EmailAddress.objects.create(user=user, email=f"{user.public_id}@example.org", verified=True)
    return user


def make_established(games: Iterable[tuple[str, int]] = ON_THREE_DAYS, **fields: Any) -> User:
    """Create a player who belongs to the established ladder on `DAY`."""
    user = make_old_account(**fields)
    verified_wins(user, games)
    return user


def signed_in(player: Any) -> Client:
    """Return a browser in which the player is signed in, without having typed a password just now."""
    client = Client()
    client.force_login(player, backend=BACKEND)
    return client


def session_of(player: Any, **values: Any) -> str:
    """Return the key of a new session in which the player is signed in."""
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session.update(values)
    session[SESSION_KEY] = str(player.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = player.get_session_auth_hash()
    session.create()
    return str(session.session_key)


# Deals.


def make_deal(
    variant: str = "plot", day: date | None = None, *, practice: bool = False, seed: bytes | None = None, **fields: Any
) -> Deal:
    """Create the daily deal of ``day``, today's by default, or one for practice that opened on it, by default just now.

    The default seed allows more than a few moves.
    """
    seed = seed or _lively_seed(variant)
    now = timezone.now()
    opens = now if practice and day is None else datetime.combine(day or now.date(), time(), UTC)
    facts: dict[str, Any] = {
        "game": CATALOGUE[variant].game,
        "options": dict(CATALOGUE[variant].options),
        "rules_version": RULES_VERSION,
        "day": None if practice else opens.date(),
        "commitment": commitment(seed),
        "opens_at": opens,
        "closes_at": None if practice else opens + ONE_DAY,
    }
    return Deal.objects.create(variant=variant, seed=seed, **facts | fields)


def deal_before(variant: str, days: int) -> Deal:
    """Return the deal of a variant this many days before `DAY`."""
    day = DAY - days * ONE_DAY
    return Deal.objects.filter(variant=variant, day=day).first() or make_deal(variant, day)


@cache
def won_records(variant: str) -> tuple[Record, ...]:
    """Return three winning records of a variant without undos, one per deal, all short enough for a daily deal.

    They come from the golden games of the rules' own tests, and from the starter deals if those are too long.
    """
    starters = [(deal.seed, deal.line) for deal in starter_deals.shipped() if deal.variant == variant]
    short = [line for line in (*winning_lines(variant), *starters) if len(line[1]) <= longest_par(variant)]
    return tuple(winning_record(variant, seed, tokens) for seed, tokens in short[:3])


def seal_deal(variant: str = "stonewall", index: int = 0, **fields: Any) -> SealedDeal:
    """Add a winnable deal of a variant to the stock; each `index` is another deal."""
    record = won_records(variant)[index]
    facts: dict[str, Any] = {"grade": 3, "random_wins": 0.0, "greedy_wins": 0.0, "nodes": 100, **fields}
    return SealedDeal.objects.create(
        variant=variant,
        rules_version=RULES_VERSION,
        seed=record.seed,
        solution=record.to_bytes(),
        par=len(record.tokens),
        **facts,
    )


def seal_all_variants() -> None:
    for variant in CATALOGUE:
        seal_deal(variant)


def _lively_seed(variant: str) -> bytes:
    """Return a random seed with many possible moves.

    One in ten of Stonewall's deals ends after less than twenty moves, one in two hundred of Braid's has no line of
    twenty plays.
    """
    catalogued = CATALOGUE[variant]
    while True:
        seed = secrets.token_bytes(32)
        deal = Deal(
            variant=variant,
            game=catalogued.game,
            options=dict(catalogued.options),
            rules_version=RULES_VERSION,
            seed=seed,
        )
        if len(line(deal)) == 30 and _superhuman_line(deal):
            return seed


# Attempts with real moves, and without.


def begin_practice(who: Any, record: Record, *tokens: str, **fields: Any) -> Attempt:
    """Begin practice with some moves, at a deal of its own with the record's cards."""
    deal = make_deal(record.name, practice=True, seed=record.seed, commitment=secrets.token_hex(32), **fields)
    attempt = start_attempt(who, deal)
    add_moves(attempt, *tokens)
    return attempt


def add_moves(attempt: Attempt, *tokens: str) -> None:
    """Append moves to the attempt's journal."""
    first = attempt.moves.count() + 1
    Move.objects.bulk_create(Move(attempt=attempt, n=n, token=token, ms=n) for n, token in enumerate(tokens, first))


def line(of: Deal, length: int = 30, seed: int = 1, *, eager: bool = False) -> list[str]:
    """Return at most `length` random legal tokens that do not win; `eager` draws only if no card can be placed."""
    table, choose = deal_table(of), random.Random(seed)
    tokens: list[str] = []
    while len(tokens) < length and (legal := table.legal_moves()):
        placing = [token for token in legal if token not in FREE_TOKENS] if eager else []
        tokens.append(choose.choice(placing or legal))
        table.push(tokens[-1])
        if table.is_won:
            tokens.pop()
            break
    return tokens


def superhuman(of: Deal) -> Record:
    """Return a record of at least twenty plays, all in the first millisecond."""
    tokens = _superhuman_line(of)
    assert tokens, f"no line of 20 plays in {of.variant} {bytes(of.seed).hex()}"
    return record_of(of, tokens, [0] * len(tokens))


def _superhuman_line(of: Deal) -> list[str]:
    """Return a line of at least twenty plays, or an empty list if none is found."""
    # A braid may get stuck early with random moves, a labyrinth with eager ones. Short lines are mostly enough.
    for length, seed, eager in itertools.product((60, 400), range(5), (False, True)):
        tokens = line(of, length, seed, eager=eager)
        if len(plays(tokens, [0] * len(tokens), [])) >= 20:
            return tokens
    return []


def unhurried(tokens: Sequence[str]) -> list[int]:
    """Return the times of tokens played at some two seconds each, less for another card from the same pile."""
    pace = random.Random(len(tokens))
    piles = [token.partition("-")[0] for token in tokens]
    same = map(operator.eq, piles, ["", *piles])
    return list(
        itertools.accumulate(pace.randrange(700, 1300) if again else pace.randrange(1300, 3300) for again in same)
    )


def record_of(
    of: Deal,
    tokens: Sequence[str],
    clock: Sequence[int] | None = None,
    *,
    end: Literal["won", "resigned", "closed"] = "resigned",
    end_ms: int | None = None,
) -> Record:
    """Return a record of `tokens`, by default at an ordinary player's pace."""
    if clock is None:
        clock = unhurried(tokens)
    ms = end_ms if end_ms is not None else (clock[-1] if clock else 0)
    return Record(of.rules_version, of.variant, None, bytes(of.seed), tuple(tokens), tuple(clock), End(end, ms))


def finished(
    of: Deal,
    who: Any = None,
    *,
    tokens: Sequence[str] | None = None,
    record: Record | None = None,
    state: str = "pending",
    ranked: bool = True,
    started_at: datetime = NOON,
    **fields: Any,
) -> Attempt:
    """Create an attempt that was resigned after some legal tokens and awaits its verdict."""
    tokens = line(of) if tokens is None else tokens
    record = record or record_of(of, tokens)
    fields = {"auto_runs": [], "end": record.end.how, "record": record.to_bytes(), **fields}
    return Attempt.objects.create(
        deal=of,
        player=who or make_account(),
        ranked=ranked,
        state=state,
        started_at=started_at,
        finished_at=started_at + timedelta(milliseconds=record.end.ms),
        decisions_digest=digest_of_win(record) if ranked else None,
        **fields,
    )


def settled(of: Deal, who: Any = None, **fields: Any) -> Attempt:
    """Create a finished attempt, and give it its verdict."""
    attempt = finished(of, who, **fields)
    settle(attempt.pk)
    attempt.refresh_from_db()
    return attempt


def digest_of_win(record: Record) -> bytes | None:
    """Return the sketch that closing an attempt with this record stores."""
    table = record.open_table()
    try:
        for token in record.tokens:
            table.push(token)
    except RulesError:
        return None
    return digest_of(record.open_table(), table.moves) if table.is_won else None


def listed(
    of: Deal,
    score: BoardScore,
    *,
    who: Any = None,
    finished_at: datetime = NOON,
    show: bool = True,
    ladder: int = Ladder.ESTABLISHED,
) -> Result:
    """Create a verified result with any score, listed on its boards, without a record."""
    who = who or make_account()
    attempt = Attempt.objects.create(
        deal=of,
        player=who,
        ranked=True,
        state=Attempt.State.VERIFIED,
        started_at=NOON,
        finished_at=finished_at,
        record=b"-",
        end="won" if score.won and score.cards_up == goal_of(of.variant) else "resigned",
        cards_up=score.cards_up,
        elapsed_ms=score.elapsed_ms,
        tokens=score.tokens,
        progress_ms=score.progress_ms,
        ladder=ladder,
    )
    result = Result(attempt=attempt, deal=of, player=who, finished_at=finished_at, ladder=ladder)
    set_score(result, score, DEAL)
    entries.add(result, listed=show)
    return result


def verified_wins(who: Any, games: Iterable[tuple[str, int]], **fields: Any) -> list[Attempt]:
    """Create verified games of earlier days, without records."""
    return [verified_win(who, deal_before(variant, days), **fields) for variant, days in games]


def verified_win(who: Any, of: Deal, **fields: Any) -> Attempt:
    """Create a win verified an hour after its deal opened."""
    at = of.opens_at + timedelta(hours=1)
    facts = {"state": Attempt.State.VERIFIED, "finished_at": at, "verified_at": at, "ladder": None}
    facts |= {"cards_up": 1, "elapsed_ms": 1, "tokens": 1}
    facts |= {"end": Attempt.End.WON, "real_play": True, **fields}
    return Attempt.objects.create(
        deal=of, player=who, ranked=True, started_at=of.opens_at, record=b"-", **facts,
    )  # fmt: skip
