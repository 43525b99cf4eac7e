"""Ways of cheating, each played against the service, and their verdicts.

Details are tested beside the checks: test_links.py, test_pace.py, test_copies.py.
"""

from __future__ import annotations

from datetime import timedelta
from itertools import accumulate
from random import Random
from typing import Any

import pytest
from django.test import Client

from accounts.lifecycle.erasure import erase_player
from accounts.models import User
from games.core.ladders import Ladder
from games.fairplay.account_links import COOKIE, on_network_of
from games.models import Attempt, Deal
from games.rules import CATALOGUE, open_table
from leaderboards.boards import board_queries
from leaderboards.models import Result
from tests import factories
from tests.factories import make_deal, won_records
from tests.games.fairplay import simulated
from tests.games.fairplay.copying import disguised, solved
from tests.games.fairplay.scripted import (
    CLEAN,
    State,
    begun,
    finish,
    leave,
    member,
    play,
    sign_in,
    sign_up,
    unhurried,
    verdict,
    winnable,
)

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
SAME_DEVICE = (State.REVIEW, ["same_device"])
ONE_OF_EACH_GAME = ("braid", "labyrinth", "tarot", "plot", "stonewall")


# A rank that costs a minute.


def test_a_new_account_plays_a_solvers_line_humanly(settings: Any) -> None:
    settings.LADDERS = True
    deal, line = winnable("plot")
    regular = factories.make_old_account(date_joined=deal.opens_at - 30 * DAY)
    factories.verified_wins(regular, [(variant, ago) for variant, ago in factories.ON_THREE_DAYS])
    honest = play(deal, line[:40], who=regular)
    cheat = play(deal, line)
    assert (verdict(honest), verdict(cheat)) == (CLEAN, CLEAN)
    assert board_queries.rank_of(deal, "race", honest.player) == 1
    first = board_queries.page(deal).entries
    assert [(entry.rank, entry.attempt) for entry in first] == [(1, honest.public_id)]
    among_newcomers = board_queries.page(deal, ladder=Ladder.NEWCOMERS).entries
    assert [entry.attempt for entry in among_newcomers] == [cheat.public_id]


# More than one try at a deal.


def test_a_guest_looks_and_an_account_plays_after(client: Client) -> None:
    make_deal("plot")
    member()
    look = begun(client)
    leave(client)
    sign_in(client)
    assert verdict(begun(client, "198.51.100.1")) == SAME_DEVICE
    assert verdict(look) == CLEAN, "the first to start is not flagged, however late it ends"
    assert not Result.objects.filter(player__is_guest=False).exists()


def test_a_guest_looks_in_a_private_window(client: Client) -> None:
    """The window has no device mark, and families share a network: staff see the link, and the verdict does not."""
    make_deal("plot")
    member()
    look = begun(Client(), "2001:db8:1:201::5")
    sign_in(client)
    attempt = begun(client, "2001:db8:1:2ff::6")
    assert verdict(attempt) == CLEAN
    assert list(on_network_of(attempt)) == [look]


def test_an_account_plays_after_a_second_one_looked(client: Client) -> None:
    make_deal("plot")
    for name in ("Ada Lovelace", "Grace Hopper"):
        member(name)
        sign_in(client, name)
        attempt = begun(client)
        leave(client)
    assert verdict(attempt) == SAME_DEVICE


def test_the_best_of_three_guests_signs_up(client: Client) -> None:
    make_deal("plot")
    for _ in range(2):
        begun(client)
        leave(client)
    attempt = begun(client)
    sign_up(client)
    assert verdict(attempt) == SAME_DEVICE


def test_the_best_of_three_guests_joins_an_old_account() -> None:
    """Each guest has its own browser, so they share no device.

    The account has the guest's game as practice, and cannot begin the deal again.
    """
    user = member()
    _deal, line = winnable("plot")
    guests = [Client() for _ in range(3)]
    for browser, tokens in zip(guests, (line[:40], line[:90], line), strict=True):
        verdict(finish(begun(browser), tokens))
    sign_in(guests[2])
    (kept,) = Attempt.objects.filter(player=user)
    assert (kept.end, kept.ranked, kept.state) == ("won", False, State.VERIFIED)
    assert begun(guests[2]) == kept
    assert not Result.objects.filter(player=user).exists()


def test_a_deleted_account_returns_on_another_device(client: Client) -> None:
    make_deal("plot")
    sign_up(client)
    erase_player(User.objects.get(pk=begun(client).player_id))
    assert not sign_up(Client())
    assert not sign_up(Client(), "ada LOVELACE")


def test_a_deleted_account_returns_under_another_name(client: Client) -> None:
    make_deal("plot")
    sign_up(client)
    first = begun(client)
    erase_player(User.objects.get(pk=first.player_id))
    sign_up(client, "Grace Hopper")
    assert verdict(begun(client)) == SAME_DEVICE
    assert verdict(first) == CLEAN


def test_a_guest_is_deleted_and_plays_again(client: Client) -> None:
    make_deal("plot")
    guest = begun(client).player
    assert isinstance(guest, User)
    erase_player(guest)
    sign_up(client)
    assert verdict(begun(client)) == SAME_DEVICE


def test_a_device_mark_is_edited(client: Client) -> None:
    """Another device's mark cannot be forged, and deleting one's own is the same as using a new device."""
    make_deal("plot")
    begun(client)
    other = Client()
    device, _, signature = client.cookies[COOKIE].value.partition(":")
    other.cookies[COOKIE] = f"{device[:-1]}{'0' if device[-1] != '0' else '1'}:{signature}"
    assert verdict(begun(other)) == CLEAN


# A program's line at a program's pace.


@pytest.mark.parametrize("variant", ONE_OF_EACH_GAME)
def test_a_game_is_won_in_two_seconds(variant: str) -> None:
    """The pace has jitter. Labyrinth is flagged although it has few plays."""
    deal, line = winnable(variant)
    chance = Random(variant)
    clock = [round(ms) for ms in accumulate(2_000 / len(line) * chance.lognormvariate(0, 0.3) for _ in line)]
    state, codes = verdict(play(deal, line, clock))
    assert (state, "pace" in codes) == (State.REVIEW, True)
    assert not Result.objects.exists()


@pytest.mark.parametrize("variant", ONE_OF_EACH_GAME)
def test_a_program_plays_faster_than_the_fastest_person(variant: str) -> None:
    """By a factor of one and a half, however it waits."""
    chance = Random(variant)
    deal, line = winnable(variant)
    steps = simulated.observed(open_table(variant, won_records(variant)[0].seed), line)
    delay = simulated.fastest_pace(steps, chance) / 1.5
    laws: tuple[tuple[Any, float], ...] = (
        ("fixed", 0.0), ("uniform", 0.2), ("uniform", 0.5), ("lognormal", 0.2), ("lognormal", 0.5)
    )  # fmt: skip
    for law, spread in laws:
        for pauses in (0.0, 0.04):
            how = simulated.Timer(delay, law, spread, pauses)
            game = simulated.run(how, steps, chance)
            assert verdict(play(deal, game.tokens, game.clock))[0] == State.REVIEW, how.kind


@pytest.mark.parametrize("variant", ONE_OF_EACH_GAME)
def test_the_end_is_played_out_in_a_burst(variant: str) -> None:
    """Until then, a person plays."""
    deal, line = winnable(variant)
    clock = unhurried(line[:-30])
    clock += [clock[-1] + 50 * n for n in range(1, 31)]
    assert "burst" in verdict(play(deal, line, clock))[1]


@pytest.mark.parametrize("variant", ONE_OF_EACH_GAME)
def test_a_timer_plays_at_a_persons_pace(variant: str) -> None:
    """With jitter, and a pause now and then."""
    deal, line = winnable(variant)
    chance = Random(variant)
    gaps = [1_500 * chance.uniform(0.85, 1.15) + (chance.random() < 0.04) * 5_000 for _ in _plays(line)]
    clock, now = list[int](), 0.0
    for token in line:
        now += gaps.pop() if "-" in token else 0.0
        clock.append(round(now))
    assert verdict(play(deal, line, clock)) == (State.REVIEW, ["steady"])


def _plays(line: tuple[str, ...]) -> list[str]:
    return [token for token in line if "-" in token]


# Another account's line.


def _solved_braid() -> tuple[Deal, tuple[str, ...]]:
    """Return a deal and a solved line; the stored certificates contain few distinctive moves."""
    seed = bytes([2]) * 32
    return make_deal("braid", seed=seed), tuple(solved("braid", seed) or ())


PLAIN: dict[str, Any] = {"swapped": False, "undone": 0, "returned": 0, "rounds": 0}


@pytest.mark.parametrize(
    "disguise",
    [
        pytest.param({}, id="as it is"),
        pytest.param({"undone": 1}, id="one move taken back"),
        pytest.param({"undone": 20}, id="many moves taken back"),
        pytest.param({"swapped": True}, id="neighbours swapped"),
        pytest.param({"returned": 8}, id="cards sent there and back"),
        pytest.param({"rounds": 2}, id="rounds of the stock"),
        pytest.param({"swapped": True, "undone": 10, "returned": 5, "rounds": 2}, id="all of it"),
    ],
)
@pytest.mark.parametrize("variant", ["braid", "tarot-novice", "plot", "stonewall"])
def test_an_account_plays_another_accounts_line(variant: str, disguise: dict[str, Any]) -> None:
    deal, line = winnable(variant) if variant != "braid" else _solved_braid()
    first = play(deal, line)
    told = disguised(variant, bytes(deal.seed), line, Random(variant), **{**PLAIN, **disguise})
    copy = play(deal, told, hours=2)
    assert verdict(first) == CLEAN
    assert verdict(copy) == (State.REVIEW, ["copied_line"])
    assert [one.attempt for one in Result.objects.all()] == [first]


assert set(ONE_OF_EACH_GAME) == {variant.game for variant in CATALOGUE.values()}
