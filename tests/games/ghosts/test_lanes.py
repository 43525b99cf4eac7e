"""Ghosts: choosing one on a deal, their lanes, and access to them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.utils import timezone

from accounts.lifecycle.bans import ban_player
from accounts.models import User
from accounts.profile.follows import follow
from accounts.sign_in.guests import create_guest
from games.attempts.lifecycle import start_attempt
from games.bots.roster import BOTS, Bot
from games.core.errors import ErrorCode, Refusal
from games.ghosts import challenges, lanes
from games.ghosts.choice import ghosts_of
from games.models import Attempt, Deal
from games.races.models import Entrant
from games.rules import End
from tests.games.ghosts.playing import line, open_deal, past_deal, played, practice_deal, race_on

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_lane_follows_the_cards_up_to_the_end(player: User) -> None:
    attempt = played(player, past_deal(), 1000)
    lane = lanes.lane_of(attempt, "Ada")
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
    assert lanes.lane_of(attempt, "").points == (start, up, down, end)


def test_the_certified_line_has_a_human_pace() -> None:
    deal = past_deal()
    lane = lanes.line_of(deal, "line")
    assert lane is not None
    assert lane.points[-1] == (lanes.MOVE_MS * len(line().tokens), lane.goal)
    assert lanes.line_ms(deal) == lane.points[-1][0]
    assert lanes.line_of(past_deal("plot", solution=None), "line") is None


def test_lanes_of_an_open_deal_are_private(player: User, rival: User) -> None:
    attempt = played(player, open_deal(), ranked=True)
    assert lanes.may_see(attempt, player.pk)
    assert not lanes.may_see(attempt, rival.pk)
    assert not lanes.may_see(attempt, None)
    # Having finished it makes no difference until the day is over.
    played(rival, attempt.deal, ranked=True)
    assert not lanes.may_see(attempt, rival.pk)


@pytest.mark.parametrize("state", ["pending", "rejected", "review"])
def test_only_verified_games_have_lanes(state: str, player: User) -> None:
    attempt = played(player, past_deal())
    assert lanes.may_see(attempt, None)
    attempt.state = state
    assert not lanes.may_see(attempt, player.pk)


def test_practice_lanes_are_shown_after_finishing_the_deal(player: User, rival: User) -> None:
    attempt = played(player, practice_deal())
    assert lanes.may_see(attempt, player.pk)
    assert not lanes.may_see(attempt, None)
    assert not lanes.may_see(attempt, rival.pk)
    start_attempt(rival, attempt.deal)
    assert not lanes.may_see(attempt, rival.pk)
    played(rival, attempt.deal)
    assert lanes.may_see(attempt, rival.pk)
    # Playing it again makes no difference.
    start_attempt(player, attempt.deal)
    assert lanes.may_see(attempt, player.pk)


def test_race_lanes_are_hidden_until_the_race_is_over(player: User, rival: User) -> None:
    deal = practice_deal(for_race=True)
    attempt = played(player, deal)
    played(rival, deal)
    assert not lanes.may_see(attempt, rival.pk)
    deal.revealed_at = deal.opens_at
    deal.save()
    attempt.deal.refresh_from_db()
    assert lanes.may_see(attempt, rival.pk)


def test_a_challenge_shows_only_the_lane_of_its_game(player: User, rival: User) -> None:
    attempt = played(player, practice_deal())
    other = played(player, attempt.deal, 3000)
    challenges.answer(challenges.challenge(player, attempt), rival)
    assert lanes.may_see(attempt, rival.pk)
    assert not lanes.may_see(other, rival.pk)


@pytest.mark.parametrize("racer", BOTS.values(), ids=BOTS)
def test_a_bots_lane_is_always_the_same(racer: Bot) -> None:
    deal = past_deal("labyrinth")
    lane = lanes.bot_lane(deal, racer)
    assert lane == lanes.bot_lane(deal, racer)
    assert lane.name == racer.name
    times = [ms for ms, _up in lane.points]
    assert times == sorted(times)
    assert lane.points[0][0] == 0


@pytest.fixture
def accounts(transactional_db: None) -> list[User]:
    return [User.objects.create_user(name) for name in ("Ada", "Brook", "Cleo", "Dara", "Edda")]


def offered(deal: Deal, player: User | None) -> list[tuple[str, str]]:
    found = ghosts_of(deal, None if player is None else player.pk)
    people = [ghost for ghost in found if ghost.bot is None]
    assert [ghost.bot for ghost in found[len(people) :]] == list(BOTS.values()), "bots come last"
    return [(str(ghost.whose), str(ghost.attempt.player) if ghost.attempt else "") for ghost in people]


def test_a_closed_deal_offers_own_rival_friends_and_leader(accounts: list[User]) -> None:
    ada, brook, cleo, dara, edda = accounts
    deal = past_deal()
    for pace, player in enumerate((brook, cleo, ada, dara, edda), start=1):
        played(player, deal, 1000 * pace, ranked=True)
    follow(ada, edda)
    want = [("own", "Ada"), ("next", "Cleo"), ("friend", "Edda"), ("leader", "Brook"), ("line", "")]
    assert offered(deal, ada) == want
    # With a better game in practice, that is the best, and the leader is the next better: no game is offered twice.
    practised = played(ada, deal, 1500)
    ghosts = ghosts_of(deal, ada.pk)
    assert ghosts[0].attempt == practised
    assert offered(deal, ada) == [("own", "Ada"), ("next", "Brook"), ("friend", "Edda"), ("line", "")]


def test_a_stranger_is_offered_leader_and_winning_line(accounts: list[User]) -> None:
    deal = past_deal()
    played(accounts[0], deal, ranked=True)
    assert offered(deal, None) == [("leader", "Ada"), ("line", "")]


def test_guests_and_banned_players_are_no_ghosts(accounts: list[User]) -> None:
    ada, brook, cleo, *_ = accounts
    deal = past_deal()
    played(create_guest(), deal, 500, ranked=True)
    played(brook, deal, 1000, ranked=True)
    played(ada, deal, 2000, ranked=True)
    follow(ada, brook)
    ban_player(brook)
    assert offered(deal, ada) == [("own", "Ada"), ("line", "")]
    assert offered(deal, cleo) == [("leader", "Ada"), ("line", "")]


def test_practice_offers_only_own_games(accounts: list[User]) -> None:
    ada, brook, *_ = accounts
    deal = practice_deal()
    played(brook, deal, 500)
    played(ada, deal, 3000)
    best = played(ada, deal, 1000)
    played(ada, deal, 100, 3)
    assert offered(deal, ada) == [("own", "Ada"), ("line", "")]
    assert ghosts_of(deal, ada.pk)[0].attempt == best


def test_a_finished_race_offers_its_entrants(accounts: list[User]) -> None:
    ada, brook, cleo, dara, _ = accounts
    now = timezone.now()
    deal = practice_deal(for_race=True, revealed_at=now)
    race = race_on(deal)
    for pace, player in enumerate((brook, cleo, ada, dara), start=1):
        attempt = played(player, deal, 1000 * pace)
        Entrant.objects.create(race=race, player=player, attempt=attempt, state="won", joined_at=now)
    played(dara, deal, 10)  # practice after the race stays private
    follow(ada, dara)
    want = [("own", "Ada"), ("next", "Cleo"), ("friend", "Dara"), ("leader", "Brook"), ("line", "")]
    assert offered(deal, ada) == want
    ban_player(brook)
    assert offered(deal, None) == [("leader", "Cleo"), ("line", "")]


def test_a_secret_deal_offers_nothing(accounts: list[User]) -> None:
    ada, brook, *_ = accounts
    today, practised, race = open_deal(), practice_deal("plot"), practice_deal("labyrinth", for_race=True)
    played(ada, today, ranked=True)
    played(brook, practised)
    played(ada, race)
    for deal in (today, practised, race):
        with pytest.raises(Refusal) as refused:
            ghosts_of(deal, ada.pk)
        assert refused.value.code == ErrorCode.NOT_REVEALED
