"""Visibility of players to others: one rule used everywhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.models import Attempt
from tests.accounts.conftest import MakeAttempt
from tests.deals import make_deal

ROOT = Path(__file__).resolve().parents[3]
NOW = timezone.now()

#: Fields of the rule, and the only files that may name them: the rule, code that sets a field, and staff pages.
FIELDS = {
    r"banned_at": {"accounts/managers.py", "accounts/models.py", "accounts/lifecycle/bans.py", "accounts/admin.py"},
    r"hide_presence": {"accounts/models.py", "accounts/preferences.py", "accounts/forms.py"},
    r"is_guest[\"']?\s*[:=]\s*False,\s*[\"']?\w*(banned|deleted)_at": {"accounts/managers.py", "accounts/admin.py"},
}
PACKAGES = ("accounts", "config", "frontend", "games", "leaderboards")


def sources() -> dict[str, str]:
    """Return the product's Python and templates by path, without migrations."""
    found = [path for package in PACKAGES for kind in ("*.py", "*.html") for path in (ROOT / package).rglob(kind)]
    return {str(path.relative_to(ROOT)): path.read_text() for path in found if "migrations" not in path.parts}


def test_the_rule_is_written_in_one_place() -> None:
    texts = sources()
    for field, allowed in FIELDS.items():
        assert {path for path, text in texts.items() if re.search(field, text)} <= allowed


def test_games_and_boards_do_not_test_for_guests() -> None:
    named = {path for path, text in sources().items() if re.search(r"\bis_guest\b", text)}
    assert named
    assert not [path for path in named if path.startswith(("games/", "leaderboards/", "frontend/templates/boards"))]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("change", "is_listed", "has_page", "is_seen"),
    [
        ({}, True, True, True),
        ({"preferences": {"hide_presence": True}}, True, True, False),
        ({"deleted_at": NOW}, True, False, False),
        ({"banned_at": NOW}, False, False, False),
        ({"is_guest": True}, False, False, False),
    ],
)
def test_rows_and_queries_agree(
    change: dict[str, Any],
    make_attempt: MakeAttempt,
    *,
    is_listed: bool,
    has_page: bool,
    is_seen: bool,
) -> None:
    create_guest()
    player = User.objects.create_user("Ariadne", **change)
    make_attempt(player, make_deal())
    assert (player.is_listed, player.has_page, player.may_be_seen_playing) == (is_listed, has_page, is_seen)
    assert list(User.objects.listed()) == [player] * is_listed
    assert list(User.objects.with_page()) == [player] * has_page
    assert Attempt.objects.filter(User.objects.listed_at("player")).count() == is_listed
