"""Link preview pictures: content, secrecy of open deals, and delivery."""

from __future__ import annotations

import io
import re
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as project
from django.test import Client
from django.utils import timezone, translation
from django.utils.formats import date_format
from PIL import Image
from pytest_django import Settings

from accounts.sign_in.guests import BACKEND, create_guest
from games.core import limits
from games.models import Deal
from games.pages.shared.titles import VARIANT_TITLES
from games.replays import preview_images
from games.replays.preview_images import Lettering, Preview
from games.rules import CATALOGUE, open_table
from tests.deals import make_deal
from tests.games.ghosts.playing import past_deal, played, practice_deal

pytestmark = pytest.mark.django_db(transaction=True)
MOST_BYTES = 300 * 1024


@pytest.fixture(autouse=True)
def _nothing_kept(settings: Settings, tmp_path: Path) -> None:
    settings.CACHES = {**project.CACHES, "previews": {**project.CACHES["previews"], "LOCATION": tmp_path}}


def address(deal: Deal, shown: str = "backs", language: str = "en-gb") -> str:
    return f"/previews/{language}/{deal.day}/{deal.variant}/{shown}.png"


def told_by(page: str) -> list[str]:
    return re.findall(r'<meta property="og:image" content="([^"]+)">', page)


@pytest.mark.parametrize("variant", CATALOGUE)
def test_a_variants_layout_is_the_same_for_all_deals(variant: str) -> None:
    table = open_table(variant, bytes([7] * 32)).view()
    drawn = preview_images.face_down(variant)
    assert {name: len(cards) for name, cards in drawn["piles"].items()} == {
        name: len(cards) for name, cards in table["piles"].items()
    }
    assert drawn["under"] == table["under"]
    assert {card for cards in drawn["piles"].values() for card in cards} == {None}


def test_an_open_deals_picture_shows_no_cards(client: Client) -> None:
    pictures = set()
    for seed in (bytes([1] * 32), bytes([2] * 32)):
        deal = make_deal("braid", seed=seed)
        pictures.add(client.get(address(deal)).content)
        assert client.get(address(deal, "opening")).status_code == 403
        assert client.get(f"/previews/en-gb/{deal.day}/opening.png").status_code == 403
        deal.delete()
    assert len(pictures) == 1


def test_a_deal_with_running_games_is_not_shown(client: Client) -> None:
    deal = make_deal(day=timezone.now().date() - timedelta(days=2))
    Deal.objects.filter(pk=deal.pk).update(closes_at=timezone.now() - timedelta(minutes=59))
    assert client.get(address(deal, "opening")).status_code == 403
    Deal.objects.filter(pk=deal.pk).update(closes_at=timezone.now() - timedelta(minutes=61))
    assert client.get(address(deal, "opening")).status_code == 200


def test_a_revealed_deals_picture_is_its_opening(client: Client) -> None:
    deals = [make_deal("stonewall", seed=bytes([n] * 32), day=date(2026, 3, n)) for n in (1, 2)]
    for deal in deals:
        table = preview_images.opening(deal)
        assert table["piles"] == open_table("stonewall", bytes(deal.seed)).view()["piles"]
    first = preview_images.draw(Preview("", "", [], [preview_images.opening(deals[0])]))
    second = preview_images.draw(Preview("", "", [], [preview_images.opening(deals[1])]))
    backs = preview_images.draw(Preview("", "", [], [preview_images.face_down("stonewall")]))
    assert len({first, second, backs}) == 3
    assert client.get(address(deals[0], "opening")).content != client.get(address(deals[0])).content


@pytest.mark.parametrize("variant", ["braid", "labyrinth", "tarot", "plot", "stonewall"])
def test_a_picture_has_the_standard_preview_size(variant: str) -> None:
    deal = Deal(variant=variant, game=CATALOGUE[variant].game, options={}, rules_version=1, seed=bytes(32))
    image = preview_images.draw(
        Preview("Talon", "Name", ["21 November 2026", "talon.example"], [preview_images.opening(deal)])
    )
    assert len(image) < MOST_BYTES
    with Image.open(io.BytesIO(image)) as picture:
        assert (picture.format, picture.size) == ("PNG", (1200, 630))


def test_the_nine_of_a_day_are_in_one_picture(client: Client) -> None:
    day = date(2026, 3, 1)
    for variant in CATALOGUE:
        make_deal(variant, day=day)
    backs, opening = (client.get(f"/previews/en-gb/{day}/{shown}.png") for shown in ("backs", "opening"))
    assert (backs.status_code, opening.status_code) == (200, 200)
    assert max(len(backs.content), len(opening.content)) < MOST_BYTES
    assert backs.content != opening.content


@pytest.mark.parametrize("language", [code for code, _name in project.LANGUAGES])
def test_the_font_covers_all_names_and_dates(language: str) -> None:
    title, text = Lettering("title"), Lettering("text")
    with translation.override(language):
        names = [*map(str, VARIANT_TITLES.values()), translation.gettext("Nine games of patience")]
        days = [date_format(date(2026, month, 28), "DATE_FORMAT") for month in range(1, 13)]
    for lettering, texts in ((title, names), (text, days)):
        assert not {letter for one in texts for letter in one if not lettering.width(letter)}
    for name in names:
        assert max(title.width(line) for line in preview_images._wrapped(name, title)) <= preview_images._WORDS_WIDTH


def test_pictures_are_shared_and_cached(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    deal = past_deal()
    first = client.get(address(deal, "opening"))
    monkeypatch.delattr(preview_images, "draw")
    again = client.get(address(deal, "opening"), headers={"accept-language": "de"})
    assert again.content == first.content
    assert first["Content-Type"] == "image/png"
    assert first["Cache-Control"] == "public, max-age=86400"
    assert "Accept-Language" not in first.get("Vary", "")
    same = client.get(address(deal, "opening"), headers={"if-none-match": first["ETag"]})
    assert (same.status_code, same.content) == (304, b"")
    assert client.head(address(deal, "opening")).status_code == 200


def test_its_text_follows_the_language_of_the_address(client: Client) -> None:
    deal = past_deal("braid")
    assert client.get(address(deal, language="de")).content != client.get(address(deal)).content
    assert client.get(address(deal, language="xx")).status_code == 404


def test_only_existing_deals_have_pictures(client: Client) -> None:
    day = timezone.now().date()
    assert client.get(f"/previews/en-gb/{day}/backs.png").status_code == 200  # even while its deals are being prepared
    for path in (f"{day}/plot/backs.png", f"{day - timedelta(days=900)}/backs.png", "patience.png"):
        assert client.get(f"/previews/en-gb/{path}").status_code == 404, path
    assert client.get("/previews/en-gb/pigtail.png").status_code == 200


def test_too_many_requests_are_refused(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "preview", "1/m")
    deal = make_deal()
    assert [client.get(address(deal)).status_code for _ in range(2)] == [200, 429]


@pytest.mark.parametrize("language", ["en-gb", "xx"])
def test_a_refusal_needs_no_query(
    client: Client, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any, language: str
) -> None:
    deal = make_deal()
    monkeypatch.setitem(limits.RATES, "preview", "0/m" if language == "en-gb" else "1/m")
    with django_assert_num_queries(0):
        answer = client.get(address(deal, language=language))
    assert answer.status_code == (429 if language == "en-gb" else 404)


def test_stored_pictures_are_limited_in_age_and_number() -> None:
    kept = project.CACHES["previews"]
    assert kept["TIMEOUT"] <= 7 * 24 * 3600
    assert kept["OPTIONS"]["MAX_ENTRIES"] * MOST_BYTES <= 120 * 1024**2


def test_pages_reference_their_pictures(client: Client, settings: Settings) -> None:
    settings.PUBLIC_URL = "https://talon.example"
    past, player = past_deal(), create_guest()
    attempt = played(player, past)
    for variant in CATALOGUE:
        make_deal(variant)
    today = timezone.now().date()
    start = "https://talon.example/previews/en-gb/"
    for page, picture in {
        "/": f"{start}{today}/backs.png",
        f"/deals/{today}/": f"{start}{today}/backs.png",
        f"/deals/{past.day}/": f"{start}{past.day}/opening.png",
        "/play/pigtail/": f"{start}{today}/pigtail/backs.png",
        f"/deals/{today}/plot/": f"{start}{today}/plot/backs.png",
        f"/deals/{past.day}/stonewall/": f"{start}{past.day}/stonewall/opening.png",
        f"/boards/{past.day}/stonewall/": f"{start}{past.day}/stonewall/opening.png",
        f"/replay/{attempt.public_id}/": f"{start}{past.day}/stonewall/opening.png",
    }.items():
        answer = client.get(page)
        shown = answer.content.decode()
        assert (answer.status_code, told_by(shown)) == (200, [picture]), page
        assert '<meta name="twitter:card" content="summary_large_image">' in shown
        assert client.get(picture.removeprefix("https://talon.example")).status_code == 200
    assert told_by(client.get("/rules/plot/").content.decode()) == ["https://talon.example/static/img/preview.png"]


def test_a_practice_game_shows_no_card(settings: Settings) -> None:
    settings.PUBLIC_URL = "https://talon.example"
    player = create_guest()
    attempt = played(player, practice_deal("plot"))
    client = Client()
    client.force_login(player, backend=BACKEND)
    page = client.get(f"/replay/{attempt.public_id}/").content.decode()
    assert told_by(page) == ["https://talon.example/previews/en-gb/plot.png"]
