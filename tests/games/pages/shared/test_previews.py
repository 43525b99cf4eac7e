"""Previews of links: each kind of page that players share has a title, a description and a picture of its own."""

from __future__ import annotations

import html
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.ghosts import challenges
from tests.factories import make_deal
from tests.games.ghosts.playing import open_deal, past_deal, played
from tests.games.races import finished_races

pytestmark = pytest.mark.django_db(transaction=True)


def preview(client: Client, path: str) -> tuple[str, str, str]:
    """Return title, description and picture of a link."""
    page = client.get(path)
    assert page.status_code == 200, path
    assert b'<meta name="twitter:card" content="summary_large_image">' in page.content
    [title, description, picture] = (
        html.unescape(re.search(rf'<meta [^>]*property="og:{part}"\s+content="([^"]*)">', page.content.decode())[1])  # type: ignore[index]
        for part in ("title", "description", "image")
    )
    return title, description, picture.rpartition("previews/en-gb/")[2]


def test_shared_pages_have_previews_of_their_own(client: Client) -> None:
    past, player = past_deal(), create_guest()
    attempt = played(player, past)
    make_deal("plot")
    today = timezone.now().date()
    ada = User.objects.create_user(username="Ada Lovelace")
    race = finished_races.heat(today - timedelta(days=1), 3, {ada: 2, User.objects.create_user(username="Ben"): 1})
    challenge = challenges.challenge(player, attempt)
    opened, seen = f"{past.day}/stonewall/opening.png", set()
    for path, title, words, picture in [
        ("/", "Talon, ", "Nine games of patience every day", f"{today}/backs.png"),
        ("/play/plot/", "The Plot, ", "Everyone plays the same cards.", f"{today}/plot/backs.png"),
        (f"/deals/{past.day}/stonewall/", "Stonewall, ", "Everyone plays the same cards.", opened),
        (f"/boards/{past.day}/stonewall/", "Stonewall, ", "Who got the most cards up", opened),
        (f"/replay/{attempt.public_id}/", "Stonewall, played by ", "Watch this game", opened),
        (f"/challenge/{challenge.code}/", " challenges you: Stonewall", "No account needed.", opened),
        (f"/races/{race.room.code}/1/", "Race 1: The Plot", "Places, times and replays.", "plot.png"),
        (f"/players/{ada.public_id}/", "Ada Lovelace", "Results, achievements and ratings of Ada Lovelace.", ""),
        ("/boards/", "Leaderboards", "We replay every game", ""),
        ("/boards/rating/", "Rating", "Quick matches and heats count", ""),
        ("/races/", "Races", "Race other players at patience", ""),
        ("/deals/", "Talon, ", "All past games", f"{today}/backs.png"),
        (f"/deals/{past.day}/", "Talon, ", "All past games", f"{past.day}/opening.png"),
        ("/rules/tarot/", "Rules of Tarot", "The full tarot deck", "tarot.png"),
        ("/rules/", "Rules", "Five games of patience", ""),
        ("/practice/?name=braid&number=48213", "Braid, deal 48213", "Anyone with this link plays", "braid.png"),
    ]:
        shown = preview(client, path)
        assert title in shown[0], path
        assert words in shown[1], path
        assert shown[2] == picture or (not picture and shown[2].endswith("/img/preview.png")), path
        assert not picture or client.get(f"/previews/en-gb/{picture}").status_code == 200
        seen.add(shown[0])
    assert len(seen) >= 13


def test_a_game_that_is_still_secret_has_no_preview(client: Client) -> None:
    attempt = played(create_guest(), open_deal())
    page = client.get(f"/replay/{attempt.public_id}/")
    assert page.status_code == 403
    assert "Stonewall" not in page.content.decode().partition("</head>")[0].replace("Plot and Stonewall", "")
