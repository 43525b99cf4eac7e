"""The unfinished game that every page offers to resume."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from games.attempts.lifecycle import close_attempt, start_attempt
from games.daily.page_header import header_of
from games.deals import publishing
from games.models import Attempt, Deal, Move
from games.puzzles.models import PuzzleTry
from tests.games.puzzles.puzzles import stored_puzzle

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_latest_unfinished_game_is_offered_on_every_page(
    client: Client, mine: Client, player: User, today: list[Deal]
) -> None:
    assert mine.get("/").context["game_left"] is None
    older, latest = start_attempt(player, today[0]), start_attempt(player, publishing.practice_deal("braid"))
    assert mine.get("/").context["game_left"].url == f"/table/{older.public_id}/", "practice without a move"
    Move.objects.create(attempt=latest, n=0, token="d", ms=900)
    for attempt in (latest, older):
        table = f"/table/{attempt.public_id}/"
        assert mine.get("/").context["game_left"].url == table
        for page in ("/boards/", "/practice/", "/rules/", "/deals/"):
            assert f'gold small" href="{table}"' in mine.get(page).content.decode()
            assert "gold small" not in client.get(page).content.decode()
        close_attempt(attempt.pk, "resigned")
    assert mine.get("/").context["game_left"] is None


def test_a_game_left_long_ago_or_past_its_deadline_is_not_offered(player: User, today: list[Deal]) -> None:
    now = timezone.now()
    ranked = start_attempt(player, today[0])
    assert ranked.deadline
    assert header_of(player.pk, now).game_left
    assert header_of(player.pk, ranked.deadline).game_left is None
    practice = start_attempt(player, publishing.practice_deal("plot"))
    Attempt.objects.filter(pk=practice.pk).update(started_at=now - timedelta(days=8))
    assert header_of(player.pk, ranked.deadline).game_left is None


def test_an_unfinished_puzzle_is_offered_unless_a_game_is(mine: Client, player: User, today: list[Deal]) -> None:
    puzzle = stored_puzzle()
    begun = PuzzleTry.objects.create(player=player, puzzle=puzzle)
    assert header_of(player.pk, timezone.now()).game_left is None, "no move found yet"
    PuzzleTry.objects.filter(pk=begun.pk).update(turn=1)
    found = header_of(player.pk, timezone.now()).game_left
    assert found
    assert (found.variant, found.url) == (puzzle.variant, f"/puzzles/{puzzle.pk}/")
    assert f'href="{found.url}"' in mine.get("/boards/").content.decode()
    start_attempt(player, today[0])
    left = header_of(player.pk, timezone.now()).game_left
    assert left
    assert left.url.startswith("/table/")
