"""Never twice: one history of tries, storms, races and days, and what it decides."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest, merge_guest
from games.puzzles import daily, history, selection, tries
from games.puzzles.models import DailyPuzzle, PuzzleTry, SeenPuzzle, StoredPuzzle
from games.puzzles.runs import puzzle_runs
from tests.factories import signed_in
from tests.games.puzzles.puzzles import GENEROUS, LABYRINTH, STONEWALL, right, stored_puzzle, wrong

pytestmark = pytest.mark.django_db(transaction=True)

Place = history.Place
NOW = timezone.now()


def seen(player: User, puzzle: StoredPuzzle, place: Place = Place.STORM) -> None:
    history.mark_seen(player.pk, puzzle.pk, place)


def shown(player: User) -> list[int]:
    """Start a storm and return its puzzles."""
    run = puzzle_runs.begin(player.pk, "storm")
    puzzle_runs.show(run.pk)
    run.refresh_from_db()
    return list(run.puzzles)


def test_next_puzzles_are_new_ones_first(player: User) -> None:
    known, new = stored_puzzle(), stored_puzzle()
    seen(player, known)
    assert {selection.next_puzzle(player.pk, None) for _ in range(8)} == {new}
    seen(player, new, Place.PAGE)
    assert {selection.next_puzzle(player.pk, None) for _ in range(20)} == {known, new}, "not tried yet"
    for puzzle in (known, new):
        PuzzleTry.objects.create(player=player, puzzle=puzzle)
    assert selection.next_puzzle(player.pk, None) is None


def test_a_storm_draws_new_puzzles_and_only_then_those_seen_longest_ago(
    player: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(puzzle_runs, "LENGTH", 2)
    monkeypatch.setattr(puzzle_runs, "ENOUGH", 2)
    first, second, new = (stored_puzzle() for _ in range(3))
    for ago, puzzle in ((1, second), (2, first)):
        seen(player, puzzle)
        SeenPuzzle.objects.filter(puzzle=puzzle).update(seen_at=NOW - timedelta(days=ago))
    assert set(shown(player)) == {new.pk, first.pk}


def test_puzzles_of_a_storm_count_as_seen_once_they_are_shown(player: User) -> None:
    puzzles = {stored_puzzle(STONEWALL).pk for _ in range(3)}
    run = puzzle_runs.begin(player.pk, "storm")
    assert not SeenPuzzle.objects.exists(), "nothing is shown before the clock starts"
    puzzle_runs.show(run.pk)
    run.refresh_from_db()
    assert set(run.puzzles) == puzzles
    puzzle_runs.play(run.pk, 0, 0, wrong(STONEWALL, 0))
    assert set(SeenPuzzle.objects.values_list("puzzle", "place")) == {(key, "storm") for key in run.puzzles[:2]}


@pytest.mark.parametrize("place", ["storm", "race"])
def test_a_puzzle_seen_elsewhere_is_not_rated_and_says_so(ada: User, place: str) -> None:
    player, mine, puzzle = ada, signed_in(ada), stored_puzzle()
    seen(player, puzzle, Place(place))
    assert mine.get(f"/puzzles/{puzzle.pk}/").context["data"]["rating"]["seen_in"] == place
    assert tries.play(player.pk, puzzle, 0, wrong(LABYRINTH, 0), NOW).progress.rating_change is None
    other = stored_puzzle()
    assert mine.get(f"/puzzles/{other.pk}/").context["data"]["rating"]["seen_in"] is None
    assert tries.play(player.pk, other, 0, wrong(LABYRINTH, 0), NOW).progress.rating_change


def test_a_puzzle_on_its_page_counts_as_seen(player: User, mine: Client) -> None:
    first, second = stored_puzzle(), stored_puzzle()
    mine.get(f"/puzzles/{first.pk}/")
    mine.get(f"/api/v1/puzzles/{second.pk}")
    assert set(SeenPuzzle.objects.values_list("player", "puzzle", "place")) == {
        (player.pk, puzzle.pk, "page") for puzzle in (first, second)
    }


def test_coming_puzzles_of_the_day_are_offered_nowhere(
    player: User, mine: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daily, "LEFT_OVER", 1)
    known = stored_puzzle()
    seen(player, known)
    for _ in range(daily.AHEAD + 3):
        stored_puzzle(GENEROUS)
    daily.reserve(NOW.date())
    daily.reserve(NOW.date())
    reserved = set(DailyPuzzle.objects.values_list("puzzle", flat=True))
    assert len(reserved) == daily.AHEAD + 1
    assert known.pk not in reserved
    assert not reserved & set(shown(player))
    assert not reserved & set(puzzle_runs.draw_puzzles([player.pk])), "nor in races"
    assert not reserved & {selection.next_puzzle(None, None).pk for _ in range(30)}  # type: ignore[union-attr]
    coming = DailyPuzzle.objects.get(day=NOW.date() + timedelta(days=1)).puzzle_id
    for address in (f"/puzzles/{coming}/", f"/api/v1/puzzles/{coming}"):
        assert mine.get(address).status_code == 404
    assert mine.get("/puzzles/").status_code == 200


def test_a_reserved_puzzle_that_a_storm_still_showed_is_released(player: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daily, "LEFT_OVER", 0)
    monkeypatch.setattr(daily, "AHEAD", 1)
    puzzles = {stored_puzzle(GENEROUS).pk for _ in range(4)}
    daily.reserve(NOW.date())
    todays, coming = DailyPuzzle.objects.order_by("day").values_list("puzzle", flat=True)
    for shown_late in (todays, coming):
        history.mark_seen(player.pk, shown_late, Place.STORM)
    daily.reserve(NOW.date())
    kept, drawn = DailyPuzzle.objects.order_by("day").values_list("puzzle", flat=True)
    assert kept == todays
    assert drawn in puzzles - {todays, coming}


def test_reserving_leaves_a_small_pool_alone() -> None:
    for _ in range(daily.AHEAD):
        stored_puzzle()
    daily.reserve(NOW.date())
    assert not DailyPuzzle.objects.exists()


def test_the_pages_say_how_many_new_puzzles_are_left(
    player: User, mine: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    DailyPuzzle.objects.create(day=NOW.date(), puzzle=stored_puzzle())
    puzzles = [stored_puzzle() for _ in range(3)]
    mine.get(f"/puzzles/{puzzles[0].pk}/")
    for address in ("/puzzles/days/", "/puzzles/storm/"):
        assert "2 new puzzles left; more come every night." in " ".join(mine.get(address).content.decode().split())
    PuzzleTry.objects.create(player=player, puzzle=puzzles[0], solved_at=NOW)
    for limit, left in ((30, 2), (1, None)):
        monkeypatch.setattr(selection, "NEAR_END", limit)
        assert mine.get(f"/puzzles/{puzzles[0].pk}/").context["data"]["after"]["left"] == left


def test_a_race_draws_what_the_fewest_players_have_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(puzzle_runs, "LENGTH", 2)
    monkeypatch.setattr(puzzle_runs, "ENOUGH", 2)
    players = [create_guest() for _ in range(3)]
    by_all, by_two, by_one = (stored_puzzle() for _ in range(3))
    for puzzle, number in ((by_all, 3), (by_two, 2), (by_one, 1)):
        for player in players[:number]:
            seen(player, puzzle)
    assert set(puzzle_runs.draw_puzzles([player.pk for player in players])) == {by_two.pk, by_one.pk}


def test_a_guests_history_moves_to_the_account() -> None:
    guest, account = create_guest(), User.objects.create_user("Ada")
    both, one = stored_puzzle(), stored_puzzle()
    for player, puzzle in ((guest, both), (account, both), (guest, one)):
        seen(player, puzzle)
    merge_guest(guest, account)
    assert set(SeenPuzzle.objects.values_list("player", "puzzle")) == {(account.pk, both.pk), (account.pk, one.pk)}


def test_a_day_solved_in_another_form_counts_when_solved_again(player: User) -> None:
    """As after all puzzles have been used: the earlier try stays, and the day's is not rated."""
    puzzle = stored_puzzle()
    for day in (NOW - timedelta(days=9), NOW):
        for turn in range(len(LABYRINTH.turns)):
            reply = tries.play(player.pk, puzzle, turn, right(LABYRINTH, turn), day)
        DailyPuzzle.objects.get_or_create(day=NOW.date(), puzzle=puzzle)
    assert (reply.progress.solved, reply.progress.late, reply.progress.rating_change) == (True, False, None)
    assert PuzzleTry.objects.filter(player=player, puzzle=puzzle).count() == 2
    assert daily.streak_of(player.pk, NOW) == 1
