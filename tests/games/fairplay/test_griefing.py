"""Griefing: attempts to get another player's earlier or natural game flagged, each played against the service."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from django.test import Client

from accounts.lifecycle.bans import ban_player
from accounts.lifecycle.erasure import erase_player
from accounts.sign_in.guests import create_guest, merge_guest
from games.fairplay.account_links import COOKIE
from games.models import Attempt, Deal
from games.rules import open_table
from games.solver import Budget, Solution, shorten, solve
from leaderboards.verdicts.decisions import decide
from tests.deals import make_deal
from tests.games.certified import won
from tests.games.fairplay.copying import played
from tests.games.fairplay.scripted import CLEAN, State, begun, leave, play, verdict, winnable
from tests.leaderboards import factory

pytestmark = pytest.mark.django_db

VARIANT = "tarot-novice"
#: Number of moves a trap makes before it goes for the win.
WANDERED = 30
Line = tuple[str, ...]


def line() -> Line:
    """A winning line; a later win by another account is a copy of it (test_cheats.py)."""
    return won(VARIANT)[0].tokens


@pytest.fixture
def deal() -> Deal:
    return winnable(VARIANT)[0]


def _by_a_loser(deal: Deal) -> None:
    assert verdict(play(deal, line()[:-1])) == CLEAN


def _by_a_guest(deal: Deal) -> None:
    assert verdict(play(deal, line(), who=create_guest())) == CLEAN


def _by_one_under_review(deal: Deal) -> None:
    assert verdict(play(deal, line(), [0] * len(line())))[0] == State.REVIEW


def _by_one_who_was_rejected(deal: Deal) -> None:
    attempt = play(deal, line())
    verdict(attempt)
    decide(attempt.pk, State.REJECTED, "staff")


def _in_practice(deal: Deal) -> None:
    guest = create_guest()
    verdict(play(deal, line(), who=guest))
    merge_guest(guest, factory.player())


def _by_one_who_finishes_later(deal: Deal) -> None:
    assert verdict(play(deal, line(), hours=9)) == CLEAN


def _by_one_who_is_banned(deal: Deal) -> None:
    attempt = play(deal, line())
    assert verdict(attempt) == CLEAN
    ban_player(attempt.player)


def _by_one_who_is_gone(deal: Deal) -> None:
    attempt = play(deal, line())
    assert verdict(attempt) == CLEAN
    erase_player(attempt.player)


@pytest.mark.parametrize(
    "laid",
    [
        _by_a_loser,
        _by_a_guest,
        _by_one_under_review,
        _by_one_who_was_rejected,
        _in_practice,
        _by_one_who_finishes_later,
        _by_one_who_is_banned,
        _by_one_who_is_gone,
    ],
    ids=lambda laid: laid.__name__.strip("_"),
)
def test_publishing_a_line_flags_no_one(laid: Callable[[Deal], None], deal: Deal) -> None:
    laid(deal)
    assert verdict(play(deal, line(), hours=5)) == CLEAN


def test_a_copy_judged_first_does_not_flag_its_original(deal: Deal) -> None:
    first, copy = play(deal, line()), play(deal, line(), hours=2)
    verdict(copy)
    assert verdict(first) == CLEAN
    assert Attempt.objects.get(pk=copy.pk).state == State.REVIEW


@pytest.mark.parametrize(("variant", "number"), [("tarot-novice", 5), ("tarot", 20), ("plot", 25), ("pigtail", 2)])
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


def test_starting_later_on_a_shared_device_spares_the_first(client: Client) -> None:
    make_deal("plot")
    first = begun(client)
    leave(client)
    second = begun(client)
    assert verdict(second) == (State.REVIEW, ["same_device"])
    assert verdict(first) == CLEAN
    assert Attempt.objects.get(pk=first.pk).reasons == []
