"""Boards of runs: the day's storms and the month's streaks, of accounts and of guests, and a player's own runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, Final
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import Max, QuerySet

from games.db.players import player_services
from games.puzzles.models import PuzzleRun

LISTED: Final = 20

Kind = PuzzleRun.Kind


@dataclass(frozen=True, slots=True)
class RunRow:
    """A player's best run of a day or month. Equal numbers of solved puzzles share a place. Guests have no page."""

    place: int
    player_id: int
    name: str
    page: UUID
    solved: int


def board_of(kind: str, day: date, *, guests: bool = False) -> list[RunRow]:
    """Return the best players of a day or its month: accounts with a page, or guests."""
    best = _listed(kind, day, guests=guests).values_list("player").annotate(best=Max("solved"))
    ranked = list(best.order_by("-best", "player")[:LISTED])
    players, solved = [player for player, _ in ranked], [most for _, most in ranked]
    names = player_services().names_of(players) if guests else player_services().names_on_pages(players)
    return [RunRow(solved.index(most) + 1, player, *names[player], most) for player, most in ranked if player in names]


def place_of(run: PuzzleRun, *, guests: bool) -> int | None:
    """Return the place of a run on its board; None if it is not listed, or nothing was solved."""
    if run.standing != PuzzleRun.Standing.LISTED or not run.solved:
        return None
    ahead = _listed(run.kind, run.day, guests=guests).filter(solved__gt=run.solved)
    return ahead.values("player").distinct().count() + 1


def own_runs(player: int, kind: str) -> QuerySet[PuzzleRun]:
    """Return a player's runs of a kind that count, the latest first."""
    own = PuzzleRun.objects.filter(player=player, kind=kind, standing=PuzzleRun.Standing.LISTED)
    return own.order_by("-day", "-pk")


def best_of(player: int, kind: str) -> int | None:
    """Return the most puzzles that a player has solved in a run that counts; None without one."""
    best: int | None = own_runs(player, kind).aggregate(best=Max("solved"))["best"]
    return best


def _listed(kind: str, day: date, *, guests: bool) -> QuerySet[PuzzleRun]:
    users: Any = get_user_model()
    players = users.objects.named() if guests else users.objects.with_page()
    of_time = {"day__year": day.year, "day__month": day.month} if kind == Kind.STREAK else {"day": day}
    listed = PuzzleRun.objects.filter(
        kind=kind, standing=PuzzleRun.Standing.LISTED, solved__gt=0, player__in=players, **of_time
    )
    return listed.alias(by_guest=users.objects.guest_at("player")).filter(by_guest=guests)
