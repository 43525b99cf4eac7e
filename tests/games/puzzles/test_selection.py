"""The next puzzle: near the player's rating, of the wanted variant and theme, not tried before, and never today's."""

from __future__ import annotations

import pytest
from django.utils import timezone

from accounts.sign_in.guests import create_guest
from games.puzzles import daily, shipped_file
from games.puzzles.models import DailyPuzzle, PuzzleRating
from games.puzzles.selection import NEAREST, next_puzzle
from games.puzzles.shipped_file import PuzzleRow
from tests.games.puzzles.puzzles import STONEWALL, stored_puzzle

pytestmark = pytest.mark.django_db


def test_withdrawn_puzzles_do_not_come() -> None:
    stored_puzzle(withdrawn="unpopular")
    offered = stored_puzzle(STONEWALL)
    assert {next_puzzle(None, None) for _ in range(10)} == {offered}
    assert daily.puzzle_of(timezone.now().date()) == offered


def test_puzzles_near_the_players_rating_come_first() -> None:
    near = {1500: [stored_puzzle(mu=1500 + n) for n in range(NEAREST)]}
    near[1900] = [stored_puzzle(mu=1900 + n) for n in range(NEAREST)]
    expert = create_guest().pk
    PuzzleRating.objects.create(player_id=expert, mu=1900)
    for player, mu in ((expert, 1900), (create_guest().pk, 1500), (None, 1500)):
        drawn = {next_puzzle(player, None) for _ in range(20)}
        assert drawn <= set(near[mu])
        assert len(drawn) > 1


def test_todays_puzzle_never_comes() -> None:
    DailyPuzzle.objects.create(day=timezone.now().date(), puzzle=stored_puzzle())
    assert next_puzzle(None, None) is None


def test_shipped_puzzles_come_on_a_new_site(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped_file, "first_rows", lambda _: [PuzzleRow.of(STONEWALL)])
    found = next_puzzle(None, None)
    assert found is not None
    assert found.variant == "stonewall"
