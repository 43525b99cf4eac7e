"""Ways of cheating, each played against the service, and their verdicts.

Details are tested beside the checks: test_links.py, test_pace.py, test_copies.py.
"""

from __future__ import annotations

from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.test import Client

from accounts.lifecycle.erasure import erase_player
from accounts.models import User
from games.attempts.lifecycle import deal_table
from games.core.ladders import Ladder
from games.fairplay.account_links import on_network_of
from games.live.autofinish import winning_run
from games.models import Deal
from leaderboards.boards import deal_boards
from leaderboards.models import Result
from tests import factories
from tests.factories import make_deal
from tests.games.fairplay.copying import disguised, solved
from tests.games.fairplay.scripted import (
    CLEAN,
    State,
    begun,
    leave,
    member,
    play,
    sign_in,
    sign_up,
    verdict,
    winnable,
)

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
NOTED = (State.VERIFIED, ["same_device"])


# A rank that costs a minute.


def test_a_new_account_plays_a_solvers_line_humanly(settings: Any) -> None:
    settings.LADDERS = True
    deal, line = winnable("plot")
    regular = factories.make_old_account(date_joined=deal.opens_at - 30 * DAY)
    factories.verified_wins(regular, [(variant, ago) for variant, ago in factories.ON_THREE_DAYS])
    honest = play(deal, line[:40], who=regular)
    cheat = play(deal, line)
    assert (verdict(honest), verdict(cheat)) == (CLEAN, CLEAN)
    assert deal_boards.rank_of(deal, "race", honest.player) == 1
    first = deal_boards.page(deal).entries
    assert [(entry.rank, entry.attempt) for entry in first] == [(1, honest.public_id)]
    among_newcomers = deal_boards.page(deal, ladder=Ladder.NEWCOMERS).entries
    assert [entry.attempt for entry in among_newcomers] == [cheat.public_id]


# More than one try at a deal.


def test_a_guest_looks_and_an_account_plays_after(client: Client) -> None:
    make_deal("plot")
    member()
    look = begun(client)
    leave(client)
    sign_in(client)
    assert verdict(begun(client, "198.51.100.1")) == NOTED
    assert verdict(look) == CLEAN, "the first to start is not flagged, however late it ends"


def test_a_guest_looks_in_a_private_window(client: Client) -> None:
    """The window has no device mark, and families share a network: staff see the link, and the verdict does not."""
    make_deal("plot")
    member()
    look = begun(Client(), "2001:db8:1:201::5")
    sign_in(client)
    attempt = begun(client, "2001:db8:1:2ff::6")
    assert verdict(attempt) == CLEAN
    assert list(on_network_of(attempt)) == [look]


def test_the_best_of_three_guests_signs_up(client: Client) -> None:
    make_deal("plot")
    for _ in range(2):
        begun(client)
        leave(client)
    attempt = begun(client)
    sign_up(client)
    assert verdict(attempt) == NOTED


def test_a_deleted_account_returns_under_another_name(client: Client) -> None:
    make_deal("plot")
    sign_up(client)
    first = begun(client)
    erase_player(User.objects.get(pk=first.player_id))
    sign_up(client, "Grace Hopper")
    assert verdict(begun(client)) == NOTED
    assert verdict(first) == CLEAN


# A program's line at a program's pace.


@pytest.mark.parametrize("variant", ["labyrinth", "stonewall", "tarot-novice"])
def test_a_program_lets_the_server_finish(variant: str) -> None:
    """What the server plays says nothing for the player, however much it is."""
    deal, line = winnable(variant)
    table, by_hand = deal_table(deal), list[str]()
    while not (run := winning_run(table)):
        by_hand.append(line[len(by_hand)])
        table.push(by_hand[-1])
    clock = [60 * n for n in range(1, len(by_hand) + 1)]
    tokens = [*by_hand, *run]
    served = range(len(by_hand) + 1, len(tokens) + 1)
    state, codes = verdict(play(deal, tokens, [*clock, *[clock[-1]] * len(run)], served=served))
    assert (state, "pace" in codes) == (State.REVIEW, True)


# Another account's line.


def _solved_braid() -> tuple[Deal, tuple[str, ...]]:
    """Return a deal and a solved line; the stored certificates contain few distinctive moves."""
    seed = bytes([2]) * 32
    return make_deal("braid", seed=seed), tuple(solved("braid", seed) or ())


@pytest.mark.parametrize("variant", ["braid", "tarot-novice", "plot", "stonewall"])
def test_an_account_plays_another_accounts_line_in_disguise(variant: str) -> None:
    deal, line = winnable(variant) if variant != "braid" else _solved_braid()
    first = play(deal, line)
    copy = play(deal, disguised(variant, bytes(deal.seed), line, Random(variant)), hours=2)
    assert verdict(first) == CLEAN
    assert verdict(copy) == (State.REVIEW, ["copied_line"])
    assert [one.attempt for one in Result.objects.all()] == [first]
