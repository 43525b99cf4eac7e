"""Choice of the ghosts offered on a deal."""

from __future__ import annotations

import pytest
from django.utils import timezone

from accounts.lifecycle.bans import ban_player
from accounts.models import User
from accounts.profile.follows import follow
from accounts.sign_in.guests import create_guest
from games.core.errors import ErrorCode, Refusal
from games.ghosts.choice import ghosts_of
from games.models import Deal
from games.races.models import Entrant
from tests.games.ghosts.playing import open_deal, past_deal, played, practice_deal, race_on

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def accounts(transactional_db: None) -> list[User]:
    return [User.objects.create_user(name) for name in ("Ada", "Brook", "Cleo", "Dara", "Edda")]


def offered(deal: Deal, player: User | None) -> list[tuple[str, str]]:
    found = ghosts_of(deal, None if player is None else player.pk)
    return [(str(ghost.whose), str(ghost.attempt.player) if ghost.attempt else "") for ghost in found]


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
