"""Ranking of players after changes of their rows, even if the process dies in between."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from accounts.lifecycle.bans import ban_player, lift_ban
from accounts.sign_in.guests import create_guest
from leaderboards.boards import board_queries, relisting
from leaderboards.boards.rank_keys import BoardScore
from leaderboards.models import Reranking
from leaderboards.verdicts.settlement import settle
from tests.accounts.conftest import PASSWORD
from tests.leaderboards import factory
from tests.players import signed_in

pytestmark = pytest.mark.django_db
LATER = timedelta(minutes=2)


class DiedError(Exception):
    """The process died before it could rank anyone."""


@pytest.fixture
def died(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Disable ranking until this is undone."""

    def die(player: Any) -> int:
        raise DiedError

    monkeypatch.setattr(relisting, "rank_player", die)
    return monkeypatch


def rank(player: Any, deal: Any) -> int | None:
    return board_queries.rank_of(deal, "race", player)


def ranked_later(died: pytest.MonkeyPatch) -> int:
    """Return the number of players the sweep ranks two minutes later."""
    died.undo()
    return relisting.rank_marked(timezone.now() + LATER)


def test_the_sweep_ranks_after_a_lost_sign_up(died: pytest.MonkeyPatch) -> None:
    cache.clear()  # resets the sign-up limits
    guest = create_guest()
    deal = factory.deal()
    settle(factory.finished(deal, guest).pk)
    client = signed_in(guest)
    form = {"username": "Ada Lovelace", "password1": PASSWORD, "password2": PASSWORD}
    with pytest.raises(DiedError):
        client.post(reverse("account_signup"), form)
    guest.refresh_from_db()
    assert rank(guest, deal) is None
    assert ranked_later(died) == 1
    assert rank(guest, deal) == 1


def test_the_sweep_ranks_after_a_lost_ban_and_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    deal = factory.deal()
    who = factory.listed(deal, BoardScore(20, 100, 40)).player
    for change, expected in ((ban_player, None), (lift_ban, 1)):
        with monkeypatch.context() as dies:
            dies.setattr(relisting, "rank_player", lambda _player: 1 // 0)
            with pytest.raises(ZeroDivisionError):
                change(who)
        assert rank(who, deal) != expected
        assert relisting.rank_marked(timezone.now() + LATER) == 1
        assert rank(who, deal) == expected


def test_the_sweep_waits_for_the_marking_process() -> None:
    who = factory.player()
    relisting.mark_player(who)
    assert relisting.rank_marked() == 0
    assert relisting.rank_marked(timezone.now() + LATER) == 1
    assert relisting.rank_marked(timezone.now() + 2 * LATER) == 0
    assert Reranking.objects.count() == 0


def test_ranking_clears_only_the_mark_it_has_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    who = factory.player()
    relisting.mark_player(who)
    relisting.rank_player(who)
    assert Reranking.objects.count() == 0
    relisting.mark_player(who)
    place = relisting._attempts_to_place

    def marked_again(player: Any) -> list[int]:
        found = place(player)
        relisting.mark_player(player)
        return found

    monkeypatch.setattr(relisting, "_attempts_to_place", marked_again)
    relisting.rank_player(who)
    assert Reranking.objects.count() == 1


def test_a_failing_player_blocks_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    stuck, other = factory.player(), factory.player()
    for who in (stuck, other):
        relisting.mark_player(who)
    place = relisting._attempts_to_place

    def fails(player: Any) -> list[int]:
        if player == stuck:
            raise ValueError("a score that no key holds")
        return place(player)

    monkeypatch.setattr(relisting, "_attempts_to_place", fails)
    assert relisting.rank_marked(timezone.now() + LATER) == 1
    assert list(Reranking.objects.values_list("player_id", flat=True)) == [stuck.pk]
