"""Animated pictures: content, size limits, access, rendering and storage."""

from __future__ import annotations

import hashlib
import io
from dataclasses import replace
from datetime import timedelta
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.utils import timezone
from PIL import Image

from accounts.models import User
from games.core import events
from games.core.retention import remove_aged
from games.models import Attempt
from games.replays import gif_drawing, housekeeping, pictures, table_renderer
from games.replays.models import Picture
from games.replays.picture_layouts import PLANS
from games.rules import GAMES, End, Record
from tests.games.ghosts.playing import line, open_deal, past_deal, played, practice_deal

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def requested(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []

    def note(*request: Any, **_: Any) -> bool:
        found.append(request)
        return True

    monkeypatch.setattr(events, "request_task", note)
    return found


def frames(image: bytes) -> list[Image.Image]:
    with Image.open(io.BytesIO(image)) as picture:
        found = []
        for n in range(getattr(picture, "n_frames", 1)):
            picture.seek(n)
            found.append(picture.convert("RGB"))
    return found


@pytest.mark.parametrize("game", GAMES)
def test_every_pile_of_every_game_has_a_position(game: str) -> None:
    plan = PLANS[game]
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
    client: Client, player: User, requested: list[tuple[Any, ...]]
) -> None:
    attempt = played(player, past_deal())
    requested.clear()
    assert client.get(f"{address(attempt)}.gif").status_code == 404
    for _ in range(2):
        answer = client.post(address(attempt))
        assert (answer.status_code, answer.json()) == (202, {"state": "drawing"})
    assert requested == [("talon.draw_picture", attempt.pk)]
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
    assert len(requested) == 1


def test_a_lost_picture_is_requested_again(player: User, requested: list[tuple[Any, ...]]) -> None:
    attempt = played(player, past_deal())
    requested.clear()
    now = timezone.now()
    for later in (0, 10, 31, 40):
        assert not pictures.ask(attempt, now + timedelta(seconds=later))
    assert len(requested) == 2


@pytest.mark.parametrize("suffix", ["", ".gif"])
def test_a_picture_is_private_while_its_deal_is_in_play(
    suffix: str, client: Client, mine: Client, player: User, requested: list[tuple[Any, ...]]
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
    player: User, monkeypatch: pytest.MonkeyPatch, requested: list[tuple[Any, ...]]
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
