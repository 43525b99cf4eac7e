"""Players, deals, and attempts that were really played."""

from __future__ import annotations

import itertools
import random
import secrets
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

from django.contrib.auth import get_user_model

from games.attempts import deal_table
from games.fairplay.copies import line_digest
from games.models import Attempt, Deal
from games.rules import CATALOGUE, RULES_VERSION, End, Record, commitment
from leaderboards import entries
from leaderboards.keys import DEAL, Score
from leaderboards.ladders import set_score
from leaderboards.models import Result

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
DAY = NOON.date()
_numbers = itertools.count(1)


def player(**fields: Any) -> Any:
    """A player with an account, unless `fields` say otherwise."""
    return get_user_model().objects.create_user(f"player{next(_numbers)}-{secrets.token_hex(4)}", **fields)


def deal(variant: str = "stonewall", day: date | None = DAY, seed: bytes | None = None) -> Deal:
    """A daily deal, or with `day` None one for practice."""
    seed = seed or secrets.token_bytes(32)
    opens = datetime.combine(day or DAY, datetime.min.time(), tzinfo=UTC)
    found = CATALOGUE[variant]
    return Deal.objects.create(
        variant=variant,
        game=found.game,
        options=dict(found.options),
        rules_version=RULES_VERSION,
        day=day,
        seed=seed,
        commitment=commitment(seed),
        opens_at=opens,
        closes_at=opens + timedelta(days=1) if day else None,
    )


def line(of: Deal, length: int = 30, seed: int = 1) -> list[str]:
    """Random legal tokens, at most `length`."""
    table, choose = deal_table(of), random.Random(seed)
    tokens: list[str] = []
    while len(tokens) < length and (legal := table.legal_moves()):
        tokens.append(choose.choice(legal))
        table.push(tokens[-1])
    return tokens


def superhuman(of: Deal) -> Record:
    """A record of many plays, all in one moment."""
    for seed in itertools.count():
        tokens = line(of, 400, seed)
        if line_digest(tokens) is not None:
            return record_of(of, tokens, [0] * len(tokens))
    raise AssertionError


def record_of(
    of: Deal,
    tokens: Sequence[str],
    clock: Sequence[int] | None = None,
    *,
    end: Literal["won", "resigned", "closed"] = "resigned",
    end_ms: int | None = None,
) -> Record:
    """A record of `tokens`, unevenly about two seconds apart unless `clock` says otherwise."""
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
    """An attempt that was resigned after some legal tokens and waits for its verdict."""
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
        line=line_digest(record.tokens, fields["auto_runs"]),
        **fields,
    )


def listed(of: Deal, score: Score, *, who: Any = None, finished_at: datetime = NOON, show: bool = True) -> Result:
    """A verified result with any score, on its boards without a record behind it."""
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
    )
    result = Result(attempt=attempt, deal=of, player=who, finished_at=finished_at)
    set_score(result, score, DEAL)
    entries.add(result, listed=show)
    return result
