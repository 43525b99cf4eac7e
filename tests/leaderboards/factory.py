"""Factories for players, deals, and attempts with real moves."""

from __future__ import annotations

import itertools
import random
import secrets
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal

from django.contrib.auth import get_user_model

from games.attempts.lifecycle import deal_table
from games.core.ladders import Ladder
from games.fairplay.copies import line_of
from games.fairplay.pace import FREE_TOKENS, plays
from games.models import Attempt, Deal
from games.rules import CATALOGUE, RULES_VERSION, End, Record, RulesError
from leaderboards.boards import entries
from leaderboards.boards.listings import set_score
from leaderboards.boards.rank_keys import DEAL, BoardScore
from leaderboards.models import Result
from leaderboards.verdicts.settlement import settle
from tests.deals import make_deal

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
DAY = NOON.date()
_numbers = itertools.count(1)


def player(**fields: Any) -> Any:
    return get_user_model().objects.create_user(f"player{next(_numbers)}-{secrets.token_hex(4)}", **fields)


def deal(variant: str = "stonewall", day: date | None = DAY, seed: bytes | None = None) -> Deal:
    """Create a daily deal, or a practice deal if `day` is None; the default seed allows more than a few moves."""
    seed = seed or _lively_seed(variant)
    if day is None:
        return make_deal(variant, practice=True, seed=seed, opens_at=datetime.combine(DAY, time(), UTC))
    return make_deal(variant, day, seed=seed)


def _lively_seed(variant: str) -> bytes:
    """Return a random seed with many possible moves.

    One in ten of Stonewall's deals ends after less than twenty moves, one in two hundred of Braid's has no line of
    twenty plays.
    """
    found = CATALOGUE[variant]
    while True:
        seed = secrets.token_bytes(32)
        tried = Deal(
            variant=variant, game=found.game, options=dict(found.options), rules_version=RULES_VERSION, seed=seed
        )
        if len(line(tried)) == 30 and _superhuman_line(tried):
            return seed


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


def record_of(
    of: Deal,
    tokens: Sequence[str],
    clock: Sequence[int] | None = None,
    *,
    end: Literal["won", "resigned", "closed"] = "resigned",
    end_ms: int | None = None,
) -> Record:
    """Return a record of `tokens`, by default at uneven intervals of about two seconds."""
    if clock is None:
        pace = random.Random(len(tokens))
        clock = list(itertools.accumulate(pace.randrange(700, 3300) for _ in tokens))
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
        player=who or player(),
        ranked=ranked,
        state=state,
        started_at=started_at,
        finished_at=started_at + timedelta(milliseconds=record.end.ms),
        line=won_line(record) if ranked else None,
        **fields,
    )


def settled(of: Deal, who: Any = None, **fields: Any) -> Attempt:
    """Create a finished attempt, and give it its verdict."""
    attempt = finished(of, who, **fields)
    settle(attempt.pk)
    attempt.refresh_from_db()
    return attempt


def won_line(record: Record) -> bytes | None:
    """Return the sketch that closing an attempt with this record stores."""
    table = record.open_table()
    try:
        for token in record.tokens:
            table.push(token)
    except RulesError:
        return None
    return line_of(record.open_table(), table.moves) if table.is_won else None


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
    who = who or player()
    attempt = Attempt.objects.create(
        deal=of,
        player=who,
        ranked=True,
        state=Attempt.State.VERIFIED,
        started_at=NOON,
        finished_at=finished_at,
        record=b"-",
        end="resigned",
        cards_up=score.cards_up,
        elapsed_ms=score.elapsed_ms,
        tokens=score.tokens,
        ladder=ladder,
    )
    result = Result(attempt=attempt, deal=of, player=who, finished_at=finished_at, ladder=ladder)
    set_score(result, score, DEAL)
    entries.add(result, listed=show)
    return result
