"""Avatars: drawn from the name, visible on every background, and neutral for unnamed players."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.test import Client
from django.urls import reverse

from accounts.lifecycle.bans import ban_player
from accounts.lifecycle.erasure import erase_player
from accounts.models import User
from accounts.names.renaming import rename_player
from accounts.profile import avatars
from games.pages.shared.view_models import ShownPlayer
from leaderboards.boards import live_boards
from leaderboards.boards.rank_keys import BoardScore
from tests.leaderboards import factory

#: Backgrounds of avatars in the light and the dark theme, from `tokens.css`.
GROUNDS = ("#f4efe4", "#fffdf8", "#f8f3e8", "#14181a", "#1d2325", "#252c2e")
NEUTRAL = "/avatars/guest.svg"


def luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, two: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(two)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("palette", [*avatars.PALETTES, avatars.GREY])
def test_avatars_contrast_with_every_background(palette: tuple[str, ...]) -> None:
    tile, *figures = palette
    assert min(contrast(tile, ground) for ground in GROUNDS) >= 3
    assert min(contrast(tile, figure) for figure in figures) >= 3


def test_names_that_read_alike_share_an_avatar() -> None:
    assert (
        avatars.address_of("Ada Lovelace") == avatars.address_of("ada_lovelace") == avatars.address_of("Ada L0velace")
    )
    names = [f"Player {n} of many" for n in range(300)]
    assert len({avatars.address_of(name) for name in names}) == len(names)
    drawn = {avatars.draw(sha256(name.encode()).digest()) for name in names}
    assert len(drawn) == len(names)


def test_an_avatar_is_cached_for_ever_and_needs_no_query(
    client: Client, db: None, django_assert_num_queries: Any
) -> None:
    address = avatars.address_of("Ada Lovelace")
    with django_assert_num_queries(0):
        answer = client.get(address)
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/svg+xml")
    assert {"public", "immutable", "max-age=31536000"} <= set(re.split(r",\s*", answer["Cache-Control"]))
    assert "Cookie" not in answer.get("Vary", "")
    assert not answer.cookies
    assert client.get(address).content == answer.content
    root = ET.fromstring(answer.content)
    assert root.tag.endswith("svg")
    assert len(answer.content) < 1200
    assert b"Ada" not in answer.content


@pytest.mark.parametrize("digest", ["0", "x" * 16, "0" * 15, "0" * 17, "A" * 16, "guests"])
def test_other_addresses_are_not_found(client: Client, db: None, digest: str) -> None:
    assert client.get(f"/avatars/{digest}.svg").status_code == 404


def test_the_address_matches_the_urls() -> None:
    assert avatars.address_of("") == reverse("players:avatar", args=["guest"])
    address = avatars.address_of("Ada")
    assert address == reverse("players:avatar", args=[address.removeprefix("/avatars/").removesuffix(".svg")])


def test_guests_banned_and_former_players_have_the_neutral_one(user: User, guest: User, client: Client) -> None:
    own = avatars.address_of("Ada Lovelace")
    assert avatars.address_for(user) == avatars.address_for(ShownPlayer.of(user)) == own
    assert avatars.address_for(guest) == avatars.address_for(ShownPlayer.of(guest)) == NEUTRAL
    ban_player(user)
    assert avatars.address_for(user) == NEUTRAL
    erase_player(user)
    assert avatars.address_for(ShownPlayer.of(user)) == NEUTRAL
    assert client.get(NEUTRAL).status_code == 200


def test_a_new_name_has_a_new_avatar(client: Client, user: User) -> None:
    before = avatars.address_for(user)
    rename_player(user, "Grace Hopper")
    shown = client.get(user.get_absolute_url()).content.decode()
    assert before not in shown
    assert avatars.address_of("Grace Hopper") in shown


def test_it_is_decorative_and_beside_the_name(user: User, mine: Client, client: Client) -> None:
    deal = factory.deal("plot")
    factory.listed(deal, BoardScore(52, 60_000, 90), who=user)
    address = avatars.address_for(user)
    pages = [
        client.get(user.get_absolute_url()),
        client.get(reverse("players:search"), {"name": "Ada"}),
        client.get(reverse("boards:deal", args=[deal.day, "plot"])),
        mine.get("/rules/braid/"),
    ]
    for page in pages:
        tags = re.findall(rf'<img[^>]*src="{address}"[^>]*>', page.content.decode())
        assert tags, page.request["PATH_INFO"]
        assert all('alt=""' in tag for tag in tags)
    frame = json.loads(live_boards.read_frame(deal, "race"))
    assert frame["entries"][0]["avatar"] == address


def test_a_former_player_on_a_board_has_the_neutral_one(user: User) -> None:
    deal = factory.deal("plot")
    factory.listed(deal, BoardScore(52, 60_000, 90), who=user)
    erase_player(user)
    (entry,) = json.loads(live_boards.read_frame(deal, "race"))["entries"]
    assert entry["avatar"] == NEUTRAL
