"""Honest players of many kinds, each played against the service: none is flagged, not even by another's griefing."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from random import Random

import pytest
from django.test import Client

from accounts.lifecycle.bans import ban_player
from accounts.lifecycle.erasure import erase_player
from accounts.sign_in.guests import create_guest
from games.attempts.lifecycle import deal_table
from games.fairplay.account_links import COOKIE
from games.live.autofinish import winning_run
from games.models import Deal
from games.rules import open_table
from games.solver import Budget, Solution, shorten, solve
from leaderboards.models import Result
from tests.factories import make_deal, unhurried, won_records
from tests.games.fairplay.copying import EASY, played
from tests.games.fairplay.scripted import (
    CLEAN,
    begun,
    codes,
    finish,
    leave,
    play,
    sign_up,
    verdict,
    winnable,
)

pytestmark = pytest.mark.django_db


def easy(variant: str) -> Deal:
    return make_deal(variant, seed=EASY[variant])


# Accounts and devices.


def test_a_family_with_different_deals_on_one_device(client: Client) -> None:
    make_deal("tarot")
    make_deal("plot")
    begun(client, variant="tarot")
    leave(client)
    assert verdict(begun(client)) == CLEAN


def test_a_guest_who_signs_up(client: Client) -> None:
    make_deal("plot")
    attempt = begun(client)
    sign_up(client)
    assert begun(client) == attempt
    assert verdict(attempt) == CLEAN
    assert Result.objects.get().attempt == attempt


@pytest.mark.parametrize("variant", ["labyrinth", "plot", "stonewall"])
def test_a_siblings_day_on_one_computer(client: Client, variant: str) -> None:
    """Each plays the same deal in their own way; both are ranked at once, and neither hears of the other."""
    deal = make_deal(variant, seed=bytes([7]) * 32)
    attempts, chance = [], Random(variant)
    for name, strays in (("Ada Lovelace", 0.1), ("Grace Hopper", 0.3)):
        sign_up(client, name)
        attempt = begun(client, variant=variant)
        finish(attempt, played(variant, bytes(deal.seed), chance, strays).moves)
        verdict(attempt)
        attempts.append(attempt)
        pages = [f"/players/{attempt.player.public_id}/", f"/boards/{deal.day}/{variant}/", "/inbox/"]
        text = " ".join(client.get(page).content.decode() for page in pages)
        assert "nder review" not in text
        assert "/appeals/" not in text
        leave(client)
    assert [one.state for one in attempts] == ["verified", "verified"]
    assert [codes(one.reasons) for one in attempts] == [[], ["same_device"]]
    assert Result.objects.filter(deal=deal, listed=True).count() == 2


# Styles of play.


@pytest.mark.parametrize("variant", EASY)
def test_many_greedy_players(variant: str) -> None:
    """Greedy players, some who stray, and two who make the first legal move: some win, partly by the same moves."""
    deal, chance = easy(variant), Random(EASY[variant][0])
    seed = bytes(deal.seed)
    tables = [played(variant, seed, chance, strays) for strays in (0.0, 0.0, 0.1, 0.1, 0.3)]
    tables += [played(variant, seed, None)] * 2
    games = [play(deal, table.moves, hours=n) for n, table in enumerate(tables)]
    assert [verdict(one) for one in games] == [CLEAN] * len(games)
    assert "won" in {one.end for one in games}


@pytest.mark.parametrize("variant", ["labyrinth", "tarot-novice", "stonewall"])
def test_an_auto_finish(variant: str) -> None:
    deal, line = winnable(variant)
    table = deal_table(deal)
    at = 0
    while not (run := winning_run(table)):
        table.push(line[at])
        at += 1
    assert len(run) >= 10
    clock = unhurried(line[:at])
    tokens = [*line[:at], *run]
    attempt = play(deal, tokens, [*clock, *[clock[-1]] * len(run)], served=range(at + 1, len(tokens) + 1))
    assert attempt.end == "won"
    assert attempt.auto_runs == [[at + 1, len(tokens)]]
    assert verdict(attempt) == CLEAN


def test_a_connection_that_delays_moves() -> None:
    """Every thirty moves a gap of half a minute, after which three moves arrive at once."""
    deal, line = winnable("stonewall")
    gaps, chance = list[int](), Random(3)
    for n in range(len(line)):
        gaps.append(0 if n % 30 in (29, 28) else 30_000 if n % 30 == 27 else chance.randrange(700, 3300))
    assert verdict(play(deal, line, list(accumulate(gaps)))) == CLEAN


VARIANT = "tarot-novice"
#: Number of moves a trap makes before it goes for the win.
WANDERED = 30
Line = tuple[str, ...]


def line() -> Line:
    """A winning line; a later win by another account is a copy of it (test_cheats.py)."""
    return won_records(VARIANT)[0].tokens


@pytest.fixture
def deal() -> Deal:
    return winnable(VARIANT)[0]


def _by_a_guest(deal: Deal) -> None:
    assert verdict(play(deal, line(), who=create_guest())) == CLEAN


def _by_one_who_is_banned(deal: Deal) -> None:
    attempt = play(deal, line())
    assert verdict(attempt) == CLEAN
    ban_player(attempt.player)


def _by_one_who_is_gone(deal: Deal) -> None:
    attempt = play(deal, line())
    assert verdict(attempt) == CLEAN
    erase_player(attempt.player)


@pytest.mark.parametrize(
    "laid", [_by_a_guest, _by_one_who_is_banned, _by_one_who_is_gone], ids=lambda laid: laid.__name__.strip("_")
)
def test_publishing_a_line_flags_no_one(laid: Callable[[Deal], None], deal: Deal) -> None:
    laid(deal)
    assert verdict(play(deal, line(), hours=5)) == CLEAN


@pytest.mark.parametrize(("variant", "number"), [("tarot-novice", 5), ("plot", 25), ("pigtail", 2)])
def test_a_trap_of_many_lines_flags_no_one(variant: str, number: int) -> None:
    """The trap tries as many ways as possible, including natural ones, and then follows a solver's win."""
    seed = bytes([number]) * 32
    deal = make_deal(variant, seed=seed)
    trap = play(deal, _trap(variant, seed))
    assert (trap.end, verdict(trap)) == ("won", CLEAN)
    chance = Random(number)
    natural = [played(variant, seed, chance, strays) for strays in (0.0, 0.0, 0.1, 0.1)]
    assert any(table.is_won for table in natural)
    assert [verdict(play(deal, table.moves, hours=5)) for table in natural] == [CLEAN] * 4


def _trap(variant: str, seed: bytes) -> Line:
    """Put cards wherever they fit, then follow a solver's win."""
    chance, table = Random(variant), open_table(variant, seed)
    for _ in range(WANDERED):
        legal = table.legal_moves()
        table.push(chance.choice([token for token in legal if "-" in token and not token.endswith("f")] or legal))
    found = solve(table, Budget(nodes=60_000))
    assert isinstance(found, Solution)
    return (*table.moves, *shorten(table, found.tokens))


def test_starting_first_flags_no_one_on_another_device(client: Client) -> None:
    """Neither from the same house nor with a forged mark."""
    make_deal("plot")
    for _ in range(3):
        begun(client)
        leave(client)
    victim = Client()
    victim.cookies[COOKIE] = client.cookies[COOKIE].value.partition(":")[0] + ":made-up"
    assert verdict(begun(victim)) == CLEAN
