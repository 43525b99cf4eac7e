"""Forms: each needs its CSRF token, and one that is sent again leads to the same game, seat or room."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from accounts.models import User
from games.models import Attempt, Deal, PracticeOrder
from games.puzzles.models import PuzzleVote
from games.puzzles.tries import play
from games.races.models import Entrant, Room
from tests.factories import make_deal, signed_in
from tests.games.puzzles.puzzles import SHORT, right, stored_puzzle

pytestmark = pytest.mark.django_db(transaction=True)


def exempt_addresses(patterns: list[Any], before: str = "") -> Iterator[str]:
    """Yield the addresses for which Django checks no CSRF token."""
    for entry in patterns:
        address = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from exempt_addresses(entry.url_patterns, address)
        elif isinstance(entry, URLPattern) and getattr(entry.callback, "csrf_exempt", False):
            yield address


def test_every_form_needs_its_token() -> None:
    """The API checks tokens itself, and a browser that renews its push address has no session."""
    exempt = list(exempt_addresses(get_resolver().url_patterns))
    assert [address for address in exempt if not address.startswith("api/v1/")] == ["players/push/renewed/"]
    strict = Client(enforce_csrf_checks=True)
    assert strict.get("/play/plot/start").status_code == 405
    for address in ("/play/plot/start", "/practice/start", "/races/new", "/races/0000000000/webhook"):
        assert strict.post(address).status_code == 403


def counts() -> list[int]:
    return [model.objects.count() for model in (User, Attempt, Entrant, PuzzleVote)] + [
        Room.objects.filter(closed_at=None).count()
    ]


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/play/plot/start", {}),
        ("/practice/first", {"name": "stonewall"}),
        ("/practice/start", {"name": "plot", "number": "7"}),
        ("/practice/looking/start", {}),
        ("/races/new", {"name": "stonewall"}),
        ("/races/quick", {"variant": "stonewall"}),
        ("/races/bot", {"racer": "pip"}),
    ],
)
def test_a_repeated_form_starts_one_game(mine: Client, player: User, path: str, form: dict[str, Any]) -> None:
    make_deal("plot")
    found = make_deal("braid", day=None)
    Deal.objects.filter(pk=found.pk).update(proven=True)
    PracticeOrder.objects.create(player=player, variant="braid", game="braid", deal=found, made_at=found.opens_at)
    first, before = mine.post(path, form)["Location"], counts()
    assert first.startswith(("/table/", "/races/"))
    assert mine.post(path, form)["Location"] == first
    assert counts() == before


def test_a_repeated_vote_and_game_after_a_puzzle_count_once(ada: User) -> None:
    client, stored = signed_in(ada), stored_puzzle(SHORT)
    for turn in range(len(SHORT.turns)):
        play(ada.pk, stored, turn, right(SHORT, turn), stored.added_at)
    for path, body in ((f"/api/v1/puzzles/{stored.pk}/vote", {"vote": "good"}), (f"/puzzles/{stored.pk}/play-on", {})):
        first = client.post(path, body, content_type="application/json")
        before = counts()
        again = client.post(path, body, content_type="application/json")
        assert (first.status_code, first.content, first.get("Location")) == (
            again.status_code,
            again.content,
            again.get("Location"),
        )
        assert first.status_code in {200, 302}
        assert counts() == before
