"""Deals with known winning lines, and games on them at any speed, with their verdicts."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.utils import timezone

from games.models import Attempt, Deal
from games.races.models import Race, Room
from games.rules import End, Record
from leaderboards.verdicts.decisions import decide
from leaderboards.verdicts.settlement import State, settle
from tests.factories import make_deal, won_records


def line(variant: str = "stonewall") -> Record:
    return won_records(variant)[0]


def past_deal(variant: str = "stonewall", **fields: Any) -> Deal:
    """Create a revealed daily deal."""
    day = (timezone.now() - timedelta(days=3)).date()
    return _proven(make_deal(variant, day=day, seed=line(variant).seed), **fields)


def open_deal(variant: str = "stonewall") -> Deal:
    return _proven(make_deal(variant, seed=line(variant).seed))


def practice_deal(variant: str = "stonewall", **fields: Any) -> Deal:
    opens_at = timezone.now() - timedelta(hours=1)
    return _proven(make_deal(variant, practice=True, seed=line(variant).seed, opens_at=opens_at), **fields)


def race_on(deal: Deal, state: str = "finished") -> Race:
    now = timezone.now()
    room = Room.objects.create(kind="private", game=deal.game, limit_s=600, seats=4, made_at=now, used_at=now)
    times = dict.fromkeys(("opened_at", "starts_at", "ends_at"), now)
    finished_at = now if state == "finished" else None
    return Race.objects.create(
        room=room, number=1, state=state, game=deal.game, limit_s=600, deal=deal, finished_at=finished_at, **times
    )


def _proven(deal: Deal, **fields: Any) -> Deal:
    record = line(deal.variant)
    proof = {"proven": True, "grade": 3, "par": len(record.tokens), "solution": record.to_bytes(), **fields}
    for name, value in proof.items():
        setattr(deal, name, value)
    deal.save()
    return deal


def timed(record: Record, ms_a_move: int, moves: int | None = None) -> Record:
    """Return the record at this pace, resigned after `moves` moves if given."""
    tokens = record.tokens[:moves]
    clock = tuple(ms_a_move * n for n in range(1, len(tokens) + 1))
    how = record.end.how if len(tokens) == len(record.tokens) else "resigned"
    return replace(record, tokens=tokens, clock=clock, end=End(how, clock[-1] if clock else 0))


def played(
    player: Any,
    deal: Deal,
    ms_a_move: int = 2000,
    moves: int | None = None,
    *,
    ranked: bool = False,
    judged: bool = True,
) -> Attempt:
    """Create a finished game of the deal's known line, by default with its verdict."""
    record = timed(line(deal.variant), ms_a_move, moves)
    attempt = Attempt.objects.create(
        player=player,
        deal=deal,
        ranked=ranked,
        state=Attempt.State.PENDING,
        started_at=deal.opens_at,
        finished_at=deal.opens_at + timedelta(milliseconds=record.end.ms),
        end=record.end.how,
        record=record.to_bytes(),
    )
    if judged:
        if settle(attempt.pk) == State.REVIEW:
            decide(attempt.pk, State.VERIFIED, "staff")  # such an even pace is flagged
        attempt = Attempt.objects.select_related("deal", "player").get(pk=attempt.pk)
        assert attempt.state == Attempt.State.VERIFIED, attempt.reasons
    return attempt


def end_running(attempt: Attempt, ms_a_move: int = 2000, moves: int | None = None) -> Attempt:
    record = timed(line(attempt.deal.variant), ms_a_move, moves)
    finished_at = attempt.started_at + timedelta(milliseconds=record.end.ms)
    Attempt.objects.filter(pk=attempt.pk).update(
        state=Attempt.State.PENDING, finished_at=finished_at, end=record.end.how, record=record.to_bytes()
    )
    settle(attempt.pk)
    return Attempt.objects.select_related("deal", "player").get(pk=attempt.pk)
