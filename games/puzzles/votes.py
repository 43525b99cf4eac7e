"""Votes on puzzles, and reports of mistakes in them, which count as no vote (docs/puzzles.md, "Votes")."""

from __future__ import annotations

import logging
from functools import partial
from typing import Final

from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone

from games.core import events
from games.core.background_threads import BackgroundJob
from games.core.errors import ErrorCode, Refusal
from games.core.ladders import Ladder
from games.core.search_process import run_search
from games.db.players import Player
from games.models import Attempt
from games.puzzles.generation.claim_check import check
from games.puzzles.generation.puzzle_filling import NICENESS
from games.puzzles.models import DailyPuzzle, PuzzleTry, PuzzleVote, StoredPuzzle

#: The fewest votes that decide about a puzzle, and the share of bad ones from which it is no longer offered.
FEWEST: Final = 30
TOO_BAD: Final = 2 / 3
#: The fewest other puzzles of its variant that must be left.
FLOOR: Final = 30
#: Time limit of a proof in seconds.
SECONDS: Final = 900.0

_Vote, _Proof, _Withdrawn = PuzzleVote.Vote, PuzzleVote.Proof, StoredPuzzle.Withdrawn

log = logging.getLogger(__name__)


def cast_vote(player: Player, stored: StoredPuzzle, vote: PuzzleVote.Vote) -> None:
    """Store a player's vote on a puzzle, in place of an earlier one.

    :raises Refusal: ACCOUNT_REQUIRED for guests, FORBIDDEN while the player may still find the solution.
    """
    if not player.has_page:
        raise Refusal(ErrorCode.ACCOUNT_REQUIRED)
    own = PuzzleTry.objects.filter(player=player.pk, puzzle=stored)
    if not own.exclude(solved_at=None, failed_at=None).exists():
        raise Refusal(ErrorCode.FORBIDDEN, "solve the puzzle first")
    counts = own.filter(solved_at__isnull=False).exists() and _is_established(player.pk)
    with transaction.atomic():
        locked = StoredPuzzle.objects.select_for_update(no_key=True).get(pk=stored.pk)
        reports = PuzzleVote.objects.filter(puzzle=stored, vote=_Vote.WRONG)
        proof = reports.values_list("proof", flat=True).first() or ""
        values = {"vote": vote, "counts": counts, "proof": proof if vote == _Vote.WRONG else ""}
        PuzzleVote.objects.update_or_create(player_id=player.pk, puzzle=stored, defaults=values)
        _judge(locked)
        if vote == _Vote.WRONG and not proof:
            transaction.on_commit(partial(events.request_task, "talon.fill_puzzles"))


def _is_established(player: int) -> bool:
    """Return whether a player has a verified daily game on the established ladder."""
    state = Attempt.State.VERIFIED
    return Attempt.objects.filter(player=player, ranked=True, state=state, ladder=Ladder.ESTABLISHED).exists()


def _judge(stored: StoredPuzzle) -> None:
    """Withdraw a locked puzzle if its votes are bad and enough others are left, or offer it again if they are not."""
    if stored.withdrawn == _Withdrawn.DISPROVED:
        return
    votes = PuzzleVote.objects.filter(puzzle=stored, counts=True).exclude(vote=_Vote.WRONG)
    count = votes.aggregate(all=Count("pk"), bad=Count("pk", filter=Q(vote=_Vote.BAD)))
    is_bad = count["all"] >= FEWEST and count["bad"] >= TOO_BAD * count["all"]
    others = StoredPuzzle.objects.filter(variant=stored.variant, withdrawn="").exclude(pk=stored.pk)
    if is_bad and not stored.withdrawn and others.count() < FLOOR:
        return
    stored.withdrawn = _Withdrawn.UNPOPULAR if is_bad else ""
    stored.save(update_fields=["withdrawn"])


def vote_of(player: int, stored: StoredPuzzle) -> str:
    """Return a player's vote on a puzzle; empty if there is none."""
    return PuzzleVote.objects.filter(player=player, puzzle=stored).values_list("vote", flat=True).first() or ""


def prove_reported() -> None:
    """Prove the reported puzzles again, and withdraw those with a mistake."""
    reports = PuzzleVote.objects.filter(vote=_Vote.WRONG, proof="")
    while (report := reports.select_related("puzzle").order_by("pk").first()) is not None:
        found = run_search(check, report.puzzle.contents, niceness=NICENESS, seconds=SECONDS)
        proof = next(found, _Proof.UNDECIDED)
        reports.filter(puzzle=report.puzzle).update(proof=proof)
        if proof == _Proof.BROKEN:
            log.warning("puzzle disproved", extra={"about": report.puzzle_id})
            StoredPuzzle.objects.filter(pk=report.puzzle_id).update(withdrawn=_Withdrawn.DISPROVED)
            DailyPuzzle.objects.filter(puzzle=report.puzzle, day__gt=timezone.now().date()).delete()


#: The thread of this worker that proves reported puzzles.
proving: Final = BackgroundJob("prove-puzzles", prove_reported)
