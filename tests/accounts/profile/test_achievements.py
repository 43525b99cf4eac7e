"""Achievements, derived from verified games."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client

from accounts.profile.achievements import Achievement, achievements
from accounts.profile.player_statistics import VerifiedPlay
from accounts.sign_in.guests import BACKEND
from games.models import Attempt
from games.rules import CATALOGUE
from leaderboards.boards.rank_keys import BoardScore
from tests.leaderboards import factory

DAY = date(2026, 11, 2)
NAMES = ["braid", "plot"]


def play(variant: str, days: int, *, won: bool = True, tokens: int = 100, par: int | None = None) -> VerifiedPlay:
    return VerifiedPlay(variant, DAY + timedelta(days=days), won, 10, 1_000, tokens, par)


def found(plays: list[VerifiedPlay]) -> dict[tuple[str, str], date | None]:
    return {(one.kind, one.variant if one.kind == "win" else ""): one.day for one in achievements(plays, NAMES)}


def test_each_is_earned_on_its_first_day() -> None:
    plays = [play("braid", 0, won=False), play("braid", 1), play("braid", 3, tokens=90, par=90), play("plot", 3)]
    assert found(plays) == {
        ("win", "braid"): DAY + timedelta(days=1),
        ("win", "plot"): DAY + timedelta(days=3),
        ("par", ""): DAY + timedelta(days=3),
        ("week", ""): None,
        ("nine", ""): DAY + timedelta(days=3),
    }


def test_nothing_is_earned_without_a_win() -> None:
    lost = [play("braid", 0, won=False, tokens=10, par=90), play("braid", 1, tokens=91, par=90), play("plot", 2)]
    assert found(lost[:1]) == dict.fromkeys(
        [("win", "braid"), ("win", "plot"), ("par", ""), ("week", ""), ("nine", "")]
    )
    assert (found(lost)["par", ""], found(lost)["nine", ""]) == (None, None)
    assert found([]) == found(lost[:1])


def test_a_week_is_seven_days_with_one_miss_forgiven() -> None:
    assert found([play("plot", n) for n in range(6)])["week", ""] is None
    assert found([play("plot", n) for n in range(9)])["week", ""] == DAY + timedelta(days=6)
    assert found([play("plot", n) for n in (0, 1, 2, 4, 5, 6, 7)])["week", ""] == DAY + timedelta(days=7)


@pytest.mark.django_db
def test_a_rejected_game_revokes_its_achievement(client: Client) -> None:
    who = factory.player()
    deal = factory.deal("plot")
    attempt = factory.listed(deal, BoardScore(104, 1_000, 50), who=who).attempt
    Attempt.objects.filter(pk=attempt.pk).update(end="won")
    address = f"/players/{who.public_id}/"

    def shown(by: Client) -> list[Achievement]:
        context: Any = by.get(address).context
        return list(context["achievements"])

    assert shown(client) == [Achievement("win", factory.DAY, "plot")]
    mine = Client()
    mine.force_login(who, backend=BACKEND)
    assert len(shown(mine)) == len(CATALOGUE) + 3  # including those not earned yet
    page = mine.get(address).content.decode()
    assert "still to come" in page
    assert page.count("✓</span>") == len(shown(client))  # unearned ones have no tick
    Attempt.objects.filter(pk=attempt.pk).update(state=Attempt.State.REJECTED)
    assert shown(client) == []
