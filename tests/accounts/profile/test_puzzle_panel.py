"""Puzzles on a profile: the rating, its chart, and the number solved."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.profile.contents import HISTORY
from accounts.profile.puzzle_panel import LEAST_TRIES, PuzzlePanel
from accounts.sign_in.guests import create_guest
from games.puzzles import tries
from games.puzzles.models import PuzzleTheme, PuzzleTry
from games.puzzles.ratings.rated_tries import estimate_of
from games.puzzles.themes import Theme
from tests.factories import signed_in
from tests.games.puzzles.puzzles import LABYRINTH, right, stored_puzzle, wrong

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)


def page(user: User) -> str:
    return reverse("players:profile", args=[user.public_id])


def chart(user: User) -> str:
    return reverse("players:puzzle_ratings", args=[user.public_id])


def solve(user: User) -> None:
    stored = stored_puzzle()
    for turn in range(len(LABYRINTH.turns)):
        tries.play(user.pk, stored, turn, right(LABYRINTH, turn), NOW)


def fail(user: User) -> None:
    tries.play(user.pk, stored_puzzle(), 0, wrong(LABYRINTH, 0), NOW)


def test_rating_and_number_solved_are_public(client: Client, user: User) -> None:
    assert client.get(page(user)).context["puzzles"] is None
    solve(user)
    fail(user)
    response = client.get(page(user))
    rating = round(estimate_of(user.pk).mu)
    assert response.context["puzzles"] == PuzzlePanel(rating, provisional=True, rated=2, solved=1, themes=[])
    assert re.search(r"after 2 rated puzzles\s+· 1 solved", response.content.decode())


def test_the_chart_has_the_rating_after_each_try(client: Client, user: User) -> None:
    solve(user)
    fail(user)
    found = client.get(chart(user)).json()
    values = [point["value"] for point in found["points"]]
    assert found["start"] == 1500
    assert values[0] > values[1] == round(estimate_of(user.pk).mu)
    first = PuzzleTry.objects.earliest("pk")
    PuzzleTry.objects.filter(pk=first.pk).update(rated_at=timezone.now() - HISTORY - timedelta(days=1))
    later = client.get(chart(user)).json()
    assert [later["start"], *(point["value"] for point in later["points"])] == values


def test_a_guest_sees_the_number_solved_without_a_rating() -> None:
    guest = create_guest()
    solve(guest)
    response = signed_in(guest).get(page(guest))
    assert response.context["puzzles"] == PuzzlePanel(None, provisional=True, rated=0, solved=1, themes=[])
    assert "data-of" not in response.content.decode()


def test_theme_strengths_are_the_shares_without_a_mistake(client: Client, user: User) -> None:
    known, rare = stored_puzzle(), stored_puzzle()
    for puzzle, theme in ((known, Theme.DIG), (known, Theme.REDEAL), (rare, Theme.TWINS)):
        PuzzleTheme.objects.create(puzzle=puzzle, theme=theme)
    now = timezone.now()
    others = [stored_puzzle() for _ in range(LEAST_TRIES)]
    PuzzleTheme.objects.bulk_create(PuzzleTheme(puzzle=puzzle, theme=Theme.DIG) for puzzle in others)
    PuzzleTheme.objects.bulk_create(PuzzleTheme(puzzle=puzzle, theme=Theme.REDEAL) for puzzle in others[:2])
    PuzzleTry.objects.create(player=user, puzzle=known, solved_at=now)
    PuzzleTry.objects.create(player=user, puzzle=rare, solved_at=now)
    PuzzleTry.objects.create(player=user, puzzle=others[0], mistakes=2, solved_at=now)
    PuzzleTry.objects.create(player=user, puzzle=others[1], solved_at=now)
    PuzzleTry.objects.create(player=user, puzzle=others[2], turn=1)
    PuzzleTry.objects.create(player=create_guest(), puzzle=others[2], mistakes=1)
    shown = client.get(page(user)).context["puzzles"].themes
    assert [(one.theme, one.tried, one.flawless) for one in shown] == [(Theme.REDEAL, 3, 2), (Theme.DIG, 3, 2)]
    PuzzleTry.objects.filter(puzzle=others[2], player=user).update(solved_at=now)
    shown = client.get(page(user)).context["puzzles"].themes
    assert [(one.theme, one.tried, one.flawless) for one in shown] == [(Theme.DIG, 4, 3), (Theme.REDEAL, 3, 2)]
