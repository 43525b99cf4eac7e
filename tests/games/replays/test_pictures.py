"""Animated pictures and link previews: content, size limits, secrecy of open deals, and storage."""

from __future__ import annotations

import hashlib
import io
import re
from dataclasses import replace
from datetime import date, timedelta
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as project
from django.contrib.staticfiles import finders
from django.test import Client
from django.utils import timezone, translation
from django.utils.formats import date_format
from PIL import Image
from pytest_django import Settings

from accounts.models import User
from accounts.sign_in.guests import BACKEND, create_guest
from games.core import limits
from games.core.retention import remove_aged
from games.manifests import MANIFESTS
from games.models import Attempt, Deal
from games.presentation.titles import VARIANT_TITLES
from games.replays import gif_drawing, housekeeping, pictures, preview_images, table_renderer
from games.replays.models import Picture
from games.replays.preview_images import Lettering, Preview
from games.rules import CATALOGUE, GAMES, End, Record, open_table
from tests.factories import make_deal
from tests.games.ghosts.playing import line, open_deal, past_deal, played, practice_deal

pytestmark = pytest.mark.django_db(transaction=True)


ROOT = Path(__file__).resolve().parents[3]


def frames(image: bytes) -> list[Image.Image]:
    with Image.open(io.BytesIO(image)) as picture:
        found = []
        for n in range(getattr(picture, "n_frames", 1)):
            picture.seek(n)
            found.append(picture.convert("RGB"))
    return found


@pytest.mark.parametrize("game", GAMES)
def test_every_pile_of_every_game_has_a_position(game: str) -> None:
    plan = MANIFESTS[game].picture
    assert sorted(spot.pile for spot in plan.spots) == sorted(GAMES[game].pile_names())
    for spot in plan.spots:
        assert spot.x + 1 <= plan.columns + 0.01
        assert spot.y + spot.rows <= plan.rows + 0.2, spot


@pytest.mark.parametrize("variant", ["braid", "labyrinth", "tarot", "plot", "stonewall"])
def test_the_last_frame_is_the_final_table(variant: str) -> None:
    record = line(variant)
    record = replace(record, tokens=record.tokens[:40], clock=record.clock[:40], end=End("resigned", 10**6))
    drawn = frames(gif_drawing.animation(record, "talon.example"))
    table = record.open_table()
    first = gif_drawing.Canvas(table.view(), "talon.example").image.convert("RGB")
    for token in record.tokens:
        table.push(token)
    last = gif_drawing.Canvas(table.view(), "talon.example").image.convert("RGB")
    assert drawn[0].tobytes() == first.tobytes()
    assert drawn[-1].tobytes() == last.tobytes()
    assert first.tobytes() != last.tobytes()


def test_a_face_down_card_is_drawn_as_its_back() -> None:
    sheet = table_renderer.sheet_of("tarot")
    assert sheet.card(None).tobytes() == sheet.cards["back"].tobytes()
    assert {name.partition("-")[0] for name in sheet.cards} == {*GAMES["tarot"].DECK.names, "back", "slot"}
    assert {name.partition("-")[0] for name in table_renderer.sheet_of("plot").cards} == {
        *GAMES["plot"].DECK.names, "back", "slot"
    }  # fmt: skip


@pytest.mark.parametrize("size", ["", "-large"])
@pytest.mark.parametrize("deck", ["french", "tarot"])
def test_the_sprite_sheets_match_the_sites_cards(deck: str, size: str) -> None:
    with Image.open(ROOT / "games" / "replays" / "sheets" / f"{deck}{size}.png") as sheet:
        made_of = sheet.info["deck"]
    shown = hashlib.sha256(Path(str(finders.find(f"cards/{deck}.svg"))).read_bytes()).hexdigest()
    assert made_of == shown, "python -m frontend.artwork.sheets"


def test_a_long_game_has_a_limited_number_of_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gif_drawing, "MOST_FRAMES", 12)
    there_and_back = tuple(islice(cycle(("d", "u")), 99))
    record = Record(1, "labyrinth", None, bytes(32), there_and_back, tuple(range(99)), End("resigned", 100))
    assert gif_drawing._shown(99)[-1] == 99
    assert 2 <= len(frames(gif_drawing.animation(record, "talon.example"))) <= 13
    nothing = replace(record, tokens=(), clock=())
    assert len(frames(gif_drawing.animation(nothing, "talon.example"))) == 1


def address(attempt: Attempt) -> str:
    return f"/replay/{attempt.public_id}/picture"


def test_a_picture_is_made_on_request_and_stored(
    client: Client, player: User, requested_tasks: list[tuple[Any, ...]]
) -> None:
    attempt = played(player, past_deal())
    requested_tasks.clear()
    assert client.get(f"{address(attempt)}.gif").status_code == 404
    for _ in range(2):
        answer = client.post(address(attempt))
        assert (answer.status_code, answer.json()) == (202, {"state": "drawing"})
    assert requested_tasks == [("talon.draw_picture", attempt.pk)]
    assert client.get(address(attempt)).status_code == 202
    pictures.draw(attempt.pk)
    pictures.draw(attempt.pk)
    answer = client.get(address(attempt))
    assert answer.json() == {"state": "drawn", "url": f"{address(attempt)}.gif"}
    image = client.get(answer.json()["url"])
    assert image["Content-Type"] == "image/gif"
    assert image["Cache-Control"] == "public, max-age=3600"
    assert len(frames(image.content)) > 50
    assert client.post(address(attempt)).json()["state"] == "drawn"
    assert len(requested_tasks) == 1


def test_a_lost_picture_is_requested_again(player: User, requested_tasks: list[tuple[Any, ...]]) -> None:
    attempt = played(player, past_deal())
    requested_tasks.clear()
    now = timezone.now()
    for later in (0, 10, 31, 40):
        assert not pictures.ask(attempt, now + timedelta(seconds=later))
    assert len(requested_tasks) == 2


@pytest.mark.parametrize("suffix", ["", ".gif"])
def test_a_picture_is_private_while_its_deal_is_in_play(
    suffix: str, client: Client, mine: Client, player: User, requested_tasks: list[tuple[Any, ...]]
) -> None:
    attempt = played(player, open_deal(), ranked=True)
    Picture.objects.create(attempt=attempt, asked_at=timezone.now(), image=b"GIF89a")
    for visitor in (client, mine):
        assert visitor.get(address(attempt) + suffix).status_code == 403
        assert visitor.post(address(attempt)).status_code == 403
    practice = played(player, practice_deal("plot"))
    Picture.objects.create(attempt=practice, asked_at=timezone.now(), image=b"GIF89a")
    assert client.get(address(practice) + suffix).status_code == 403
    answer = mine.get(address(practice) + suffix)
    assert answer.status_code == 200
    assert "public" not in answer["Cache-Control"]


def test_old_and_excess_pictures_are_deleted(
    player: User, monkeypatch: pytest.MonkeyPatch, requested_tasks: list[tuple[Any, ...]]
) -> None:
    monkeypatch.setattr(pictures, "MOST_KEPT", 2)
    now = timezone.now()
    made = [played(player, past_deal(variant), moves=2) for variant in ("plot", "stonewall", "labyrinth")]
    for n, attempt in enumerate(made):
        pictures.ask(attempt, now - timedelta(minutes=9 - n))
        pictures.draw(attempt.pk)
    assert set(Picture.objects.values_list("attempt", flat=True)) == {made[1].pk, made[2].pk}
    assert remove_aged(housekeeping.KINDS, now + pictures.KEPT - timedelta(minutes=10)) == 0
    assert remove_aged(housekeeping.KINDS, now + pictures.KEPT) == 2


MOST_BYTES = 300 * 1024


@pytest.fixture(autouse=True)
def nothing_kept(settings: Settings, tmp_path: Path) -> None:
    settings.CACHES = {**project.CACHES, "previews": {**project.CACHES["previews"], "LOCATION": tmp_path}}


def preview(deal: Deal, shown: str = "backs", language: str = "en-gb") -> str:
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
        pictures.add(client.get(preview(deal)).content)
        assert client.get(preview(deal, "opening")).status_code == 403
        assert client.get(f"/previews/en-gb/{deal.day}/opening.png").status_code == 403
        deal.delete()
    assert len(pictures) == 1


def test_a_deal_with_running_games_is_not_shown(client: Client) -> None:
    deal = make_deal(day=timezone.now().date() - timedelta(days=2))
    Deal.objects.filter(pk=deal.pk).update(closes_at=timezone.now() - timedelta(minutes=59))
    assert client.get(preview(deal, "opening")).status_code == 403
    Deal.objects.filter(pk=deal.pk).update(closes_at=timezone.now() - timedelta(minutes=61))
    assert client.get(preview(deal, "opening")).status_code == 200


def test_a_revealed_deals_picture_is_its_opening(client: Client) -> None:
    deals = [make_deal("stonewall", seed=bytes([n] * 32), day=date(2026, 3, n)) for n in (1, 2)]
    for deal in deals:
        table = preview_images.opening(deal)
        assert table["piles"] == open_table("stonewall", bytes(deal.seed)).view()["piles"]
    first = preview_images.draw(Preview("", "", [], [preview_images.opening(deals[0])]))
    second = preview_images.draw(Preview("", "", [], [preview_images.opening(deals[1])]))
    backs = preview_images.draw(Preview("", "", [], [preview_images.face_down("stonewall")]))
    assert len({first, second, backs}) == 3
    assert client.get(preview(deals[0], "opening")).content != client.get(preview(deals[0])).content


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
    first = client.get(preview(deal, "opening"))
    monkeypatch.delattr(preview_images, "draw")
    again = client.get(preview(deal, "opening"), headers={"accept-language": "de"})
    assert again.content == first.content
    assert first["Content-Type"] == "image/png"
    assert first["Cache-Control"] == "public, max-age=86400"
    assert "Accept-Language" not in first.get("Vary", "")
    same = client.get(preview(deal, "opening"), headers={"if-none-match": first["ETag"]})
    assert (same.status_code, same.content) == (304, b"")
    assert client.head(preview(deal, "opening")).status_code == 200


def test_its_text_follows_the_language_of_the_address(client: Client) -> None:
    deal = past_deal("braid")
    assert client.get(preview(deal, language="de")).content != client.get(preview(deal)).content
    assert client.get(preview(deal, language="xx")).status_code == 404


def test_only_existing_deals_have_pictures(client: Client) -> None:
    day = timezone.now().date()
    assert client.get(f"/previews/en-gb/{day}/backs.png").status_code == 200  # even while its deals are being prepared
    for path in (f"{day}/plot/backs.png", f"{day - timedelta(days=900)}/backs.png", "patience.png"):
        assert client.get(f"/previews/en-gb/{path}").status_code == 404, path
    assert client.get("/previews/en-gb/pigtail.png").status_code == 200


def test_too_many_requests_are_refused(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "preview", "1/m")
    deal = make_deal()
    assert [client.get(preview(deal)).status_code for _ in range(2)] == [200, 429]


@pytest.mark.parametrize("language", ["en-gb", "xx"])
def test_a_refusal_needs_no_query(
    client: Client, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any, language: str
) -> None:
    deal = make_deal()
    monkeypatch.setitem(limits.RATES, "preview", "0/m" if language == "en-gb" else "1/m")
    with django_assert_num_queries(0):
        answer = client.get(preview(deal, language=language))
    assert answer.status_code == (429 if language == "en-gb" else 404)


def test_stored_pictures_are_limited_in_age_and_number() -> None:
    kept = project.CACHES["previews"]
    assert kept["TIMEOUT"] <= 7 * 24 * 3600
    assert kept["OPTIONS"]["MAX_ENTRIES"] * MOST_BYTES <= 120 * 1024**2


def test_a_practice_game_shows_no_card(settings: Settings) -> None:
    settings.PUBLIC_URL = "https://talon.example"
    player = create_guest()
    attempt = played(player, practice_deal("plot"))
    client = Client()
    client.force_login(player, backend=BACKEND)
    page = client.get(f"/replay/{attempt.public_id}/").content.decode()
    assert told_by(page) == ["https://talon.example/previews/en-gb/plot.png"]
