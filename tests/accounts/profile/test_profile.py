"""Profiles: content, visibility, avatars, and following other players."""

from __future__ import annotations

import json
import re
import uuid
from datetime import timedelta
from hashlib import sha256
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.lifecycle.bans import ban_player
from accounts.lifecycle.erasure import erase_player
from accounts.models import Follow, User
from accounts.names.renaming import rename_player
from accounts.profile import avatars, follows
from accounts.profile.contents import RESULTS_A_PAGE
from accounts.sign_in.guests import create_guest
from games.presentation.view_models import DealTile, ShownPlayer
from games.rules import CATALOGUE
from leaderboards.boards import live_boards
from leaderboards.boards.rank_keys import BoardScore
from tests import factories
from tests.accounts.conftest import MakeAttempt, MakeUser, SignIn
from tests.factories import DAY, make_deal

pytestmark = pytest.mark.django_db


def page(user: User) -> str:
    return reverse("players:profile", args=[user.public_id])


def test_figures_come_from_own_verified_ranked_attempts(
    client: Client, user: User, make_user: MakeUser, make_attempt: MakeAttempt
) -> None:
    today = timezone.now().date()
    plot = make_deal("plot", today)
    make_attempt(make_user(), plot, won=True, elapsed_ms=1)
    make_attempt(user, plot, won=True, elapsed_ms=61_200, tokens=80)
    make_attempt(user, make_deal("plot", today - timedelta(days=1)), won=True, elapsed_ms=62_000, tokens=70)
    make_attempt(user, make_deal("braid", today), won=False)
    make_attempt(user, make_deal("tarot", today), won=True, state="pending")
    make_attempt(user, make_deal("pigtail", today), won=True, state="rejected")
    make_attempt(user, make_deal("plot", practice=True), won=True, elapsed_ms=1)
    response = client.get(page(user))
    figures = response.context["statistics"]
    assert list(figures.by_variant) == ["braid", "plot"]
    found = figures.by_variant["plot"]
    assert (found.played, found.won, found.best_ms, found.fewest_moves) == (2, 2, 61_200, 70)
    assert (found.streak, figures.overall.played, figures.overall.won) == (2, 3, 2)
    assert "1:01.2" in response.content.decode()
    french = client.get(page(user), headers={"accept-language": "fr"}).content.decode()
    assert ">Gagnées</th>" in french
    assert re.search(r">\s*Gagnée\s*</td>", french)


def test_only_the_player_sees_pending_attempts(
    client: Client, user: User, mine: Client, make_attempt: MakeAttempt
) -> None:
    waiting = make_attempt(user, make_deal(), state="review")
    assert client.get(page(user)).context["results"] == []
    assert mine.get(page(user)).context["results"] == [DealTile.of(waiting.deal, waiting)]


def test_results_are_paginated(client: Client, user: User, make_attempt: MakeAttempt) -> None:
    today = timezone.now().date()
    days = [today - timedelta(days=n) for n in range(4)]
    deals = [make_deal(variant, day) for variant in CATALOGUE for day in days]
    now = timezone.now()
    attempts = [make_attempt(user, deal, started_at=now - timedelta(hours=n // 2)) for n, deal in enumerate(deals)]
    first = client.get(page(user))
    second = client.get(page(user), {"before": str(first.context["older"])})
    shown = first.context["results"] + second.context["results"]
    assert len(first.context["results"]) == RESULTS_A_PAGE
    assert {tile.attempt.public_id for tile in shown} == {attempt.public_id for attempt in attempts}
    assert len(shown) == len(attempts)
    started = [tile.attempt.started_at for tile in shown]
    assert started == sorted(started, reverse=True)
    assert second.context["older"] is None


@pytest.mark.parametrize("cursor", ["nonsense", str(uuid.UUID(int=7))])
def test_a_strange_cursor_is_not_found(client: Client, user: User, cursor: str) -> None:
    assert client.get(page(user), {"before": cursor}).status_code == 404


def test_another_players_attempt_is_no_cursor(
    client: Client, user: User, make_user: MakeUser, make_attempt: MakeAttempt
) -> None:
    other = make_attempt(make_user(), make_deal())
    assert client.get(page(user), {"before": str(other.public_id)}).status_code == 404


def test_the_charts_get_their_data_as_json(client: Client, user: User, make_attempt: MakeAttempt) -> None:
    today = timezone.now().date()
    make_attempt(user, make_deal("plot", today), won=True)
    make_attempt(user, make_deal("braid", today - timedelta(days=1)))
    make_attempt(user, make_deal("plot", today - timedelta(days=500)))
    address = reverse("players:history", args=[user.public_id])
    plays = client.get(address).json()["plays"]
    assert [play["variant"] for play in plays] == ["braid", "plot"]
    assert plays[1] == {
        "variant": "plot", "day": today.isoformat(), "won": True, "cards_up": 52, "elapsed_ms": 400, "tokens": 3,
        "par": None, "progress_ms": None,
    }  # fmt: skip
    assert client.get(address, {"variant": "plot"}).json()["plays"] == plays[1:]


def test_guests_and_banned_players_have_no_page(client: Client, make_user: MakeUser, mine: Client) -> None:
    guest, banned = create_guest(), make_user()
    ban_player(banned)
    for viewer in (client, mine):
        for player in (guest, banned, User(public_id=uuid.uuid4())):
            for name in ("players:profile", "players:history", "players:puzzle_ratings"):
                assert viewer.get(reverse(name, args=[player.public_id])).status_code == 404


def test_a_guest_sees_their_own_page(guest: User, sign_in: SignIn) -> None:
    assert sign_in(guest).get(page(guest)).status_code == 200


def test_a_result_links_to_its_board_and_later_the_replay(
    client: Client, user: User, make_attempt: MakeAttempt
) -> None:
    today = timezone.now().date()
    running = make_attempt(user, make_deal("plot", today))
    over = make_attempt(user, make_deal("plot", today - timedelta(days=3)))
    shown = client.get(page(user)).content.decode()
    assert reverse("boards:deal", args=[today, "plot"]) in shown
    assert reverse("games:replay", args=[over.public_id]) in shown
    assert reverse("games:replay", args=[running.public_id]) not in shown


def test_more_results_take_no_more_queries(
    client: Client,
    user: User,
    make_attempt: MakeAttempt,
    django_assert_max_num_queries: Any,
) -> None:
    today = timezone.now().date()
    for n in range(10):
        make_attempt(user, make_deal("plot", today - timedelta(days=n)), won=True)
    with django_assert_max_num_queries(11):
        assert client.get(page(user)).status_code == 200


def test_names_are_escaped(client: Client, user: User) -> None:
    User.objects.filter(pk=user.pk).update(display_name="<script>alert(1)</script>")
    assert "<script>alert" not in client.get(page(user)).content.decode()


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
    deal = make_deal("plot", DAY)
    factories.listed(deal, BoardScore(52, 60_000, 90), who=user)
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


def test_following_and_unfollowing(make_user: MakeUser, mine: Client) -> None:
    other = make_user("Grace Hopper")
    for _ in range(2):
        assert (
            mine.post(reverse("players:follow", args=[other.public_id])).headers["Location"] == other.get_absolute_url()
        )
    assert Follow.objects.get().followed == other
    assert mine.get(other.get_absolute_url()).context["is_following"]
    assert "Grace Hopper" in mine.get(reverse("players:following")).content.decode()
    for _ in range(2):
        mine.post(reverse("players:unfollow", args=[other.public_id]))
    assert not Follow.objects.exists()


@pytest.mark.parametrize("address", ["/inbox/", "/players/", "/players/?name=zz", "/players/me/following/"])
def test_an_empty_page_says_what_will_be_there_and_leads_on(mine: Client, address: str) -> None:
    empty = re.search(
        r'<div class="panel nothing">\s*<p.*?>(.+?)</p>\s*(.+?)</div>', mine.get(address).content.decode(), re.DOTALL
    )
    assert empty is not None
    assert 'class="button' in empty[2]


def test_scripts_get_json(user: User, make_user: MakeUser, mine: Client) -> None:
    other = make_user()
    headers = {"accept": "application/json"}
    assert mine.post(reverse("players:follow", args=[other.public_id]), headers=headers).json() == {"following": True}
    answer = mine.post(reverse("players:follow", args=[user.public_id]), headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_request")


def test_guests_cannot_be_followed(guest: User, mine: Client) -> None:
    assert mine.post(reverse("players:follow", args=[guest.public_id])).status_code == 404


def test_there_is_a_limit(make_user: MakeUser, mine: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follows, "MOST_FOLLOWED", 1)
    for other in (make_user(), make_user()):
        mine.post(reverse("players:follow", args=[other.public_id]))
    assert Follow.objects.count() == 1


def test_a_guest_signs_up_and_returns_to_follow(user: User, guest: User, sign_in: SignIn) -> None:
    answer = sign_in(guest).post(reverse("players:follow", args=[user.public_id]))
    assert answer.headers["Location"] == f"{reverse('account_signup')}?next={user.get_absolute_url()}"
    assert not Follow.objects.exists()
