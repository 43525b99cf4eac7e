"""Lanes: how they show a game, and who may see them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from accounts.models import User
from games.attempts.lifecycle import start_attempt
from games.ghosts import challenges, ghost_lanes
from games.models import Attempt
from games.rules import End
from tests.games.ghosts.playing import line, open_deal, past_deal, played, practice_deal, timed

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_lane_follows_the_cards_up_to_the_end(player: User) -> None:
    attempt = played(player, past_deal(), 1000)
    lane = ghost_lanes.lane_of(attempt, "Ada")
    table = line().open_table()
    ups = [table.cards_up]
    for token in line().tokens:
        table.push(token)
        ups.append(table.cards_up)
    times = [ms for ms, _ in lane.points]
    assert times == sorted(times)
    assert lane.points[0] == (0, ups[0])
    assert lane.points[-1] == (attempt.elapsed_ms, lane.goal)
    assert all(ups[ms // 1000] == up for ms, up in lane.points)
    # Every rise is included.
    assert {up for _, up in lane.points} == set(ups)


def test_an_undo_lowers_the_lane(player: User) -> None:
    attempt = played(player, past_deal(), 1000, judged=False)
    record = line()
    table = record.open_table()
    until = 0
    while not table.cards_up:
        table.push(record.tokens[until])
        until += 1
    tokens = (*record.tokens[:until], "u")
    clock = tuple(100 * n for n in range(1, len(tokens) + 1))
    undone = replace(record, tokens=tokens, clock=clock, end=End("resigned", clock[-1] + 50))
    Attempt.objects.filter(pk=attempt.pk).update(record=undone.to_bytes())
    attempt.refresh_from_db()
    start = (0, 0)
    up, down, end = (100 * until, 1), (100 * (until + 1), 0), (clock[-1] + 50, 0)
    assert ghost_lanes.lane_of(attempt, "").points == (start, up, down, end)


def test_the_certified_line_has_a_human_pace() -> None:
    deal = past_deal()
    lane = ghost_lanes.line_of(deal, "line")
    assert lane is not None
    assert lane.points[-1] == (ghost_lanes.MOVE_MS * len(line().tokens), lane.goal)
    assert ghost_lanes.line_ms(deal) == lane.points[-1][0]
    assert ghost_lanes.line_of(past_deal("plot", solution=None), "line") is None


def test_lanes_of_an_open_deal_are_private(player: User, rival: User) -> None:
    attempt = played(player, open_deal(), ranked=True)
    assert ghost_lanes.may_see(attempt, player.pk)
    assert not ghost_lanes.may_see(attempt, rival.pk)
    assert not ghost_lanes.may_see(attempt, None)
    # Having finished it makes no difference until the day is over.
    played(rival, attempt.deal, ranked=True)
    assert not ghost_lanes.may_see(attempt, rival.pk)


@pytest.mark.parametrize("state", ["pending", "rejected", "review"])
def test_only_verified_games_have_lanes(state: str, player: User) -> None:
    attempt = played(player, past_deal())
    assert ghost_lanes.may_see(attempt, None)
    attempt.state = state
    assert not ghost_lanes.may_see(attempt, player.pk)


def test_practice_lanes_are_shown_after_finishing_the_deal(player: User, rival: User) -> None:
    attempt = played(player, practice_deal())
    assert ghost_lanes.may_see(attempt, player.pk)
    assert not ghost_lanes.may_see(attempt, None)
    assert not ghost_lanes.may_see(attempt, rival.pk)
    start_attempt(rival, attempt.deal)
    assert not ghost_lanes.may_see(attempt, rival.pk)
    played(rival, attempt.deal)
    assert ghost_lanes.may_see(attempt, rival.pk)
    # Playing it again makes no difference.
    start_attempt(player, attempt.deal)
    assert ghost_lanes.may_see(attempt, player.pk)


def test_race_lanes_are_hidden_until_the_race_is_over(player: User, rival: User) -> None:
    deal = practice_deal(for_race=True)
    attempt = played(player, deal)
    played(rival, deal)
    assert not ghost_lanes.may_see(attempt, rival.pk)
    deal.revealed_at = deal.opens_at
    deal.save()
    attempt.deal.refresh_from_db()
    assert ghost_lanes.may_see(attempt, rival.pk)


def test_a_challenge_shows_only_the_lane_of_its_game(player: User, rival: User) -> None:
    attempt = played(player, practice_deal())
    other = played(player, attempt.deal, 3000)
    challenges.answer(challenges.challenge(player, attempt), rival)
    assert ghost_lanes.may_see(attempt, rival.pk)
    assert not ghost_lanes.may_see(other, rival.pk)


def test_a_timed_record_is_legal(player: User) -> None:
    assert played(player, past_deal(), 900, 5).cards_up is not None
    assert timed(line(), 10, 0).end == End("resigned", 0)
