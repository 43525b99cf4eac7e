"""Templates: the format of times, and contexts that contain only data that may be shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db.models import Model, QuerySet
from django.template import Context, Template
from django.test import Client
from django.test.signals import template_rendered
from django.utils import timezone, translation
from django.utils.functional import SimpleLazyObject

from accounts.models import User
from games.attempts.lifecycle import start_attempt
from games.deals import publishing
from games.models import Attempt, Deal, LedgerEntry, Question, SealedDeal
from games.presentation.durations import duration
from games.rules import CATALOGUE, Record, Table
from games.templatetags.client import signed, timed
from tests.browser import players as inhabitants
from tests.browser.pages.test_every_page import NAMES, NO_PAGES, VISITORS, visits
from tests.factories import make_deal, seal_deal

SECRET = (Deal, Attempt, SealedDeal, LedgerEntry, Question, Record, Table, bytes, bytearray, memoryview)


def secrets_in(value: object, path: str = "", seen: set[int] | None = None) -> Iterator[str]:
    """Yield the paths at which a template could reach a secret."""
    seen = set() if seen is None else seen
    if isinstance(value, SECRET) or type(value) is User:  # Django wraps the visitor's own user
        yield f"{path}: {type(value).__name__}"
    elif id(value) not in seen:
        seen.add(id(value))
        for name, part in _parts(value):
            yield from secrets_in(part, f"{path}.{name}", seen)


def _parts(value: object) -> Iterable[tuple[object, object]]:
    if isinstance(value, Mapping):
        return value.items()
    if isinstance(value, QuerySet | list | tuple | set | frozenset):
        return enumerate(value)
    if isinstance(value, Model) and not isinstance(value, SimpleLazyObject):
        return [*vars(value).items(), *value._state.fields_cache.items()]
    if is_dataclass(value) and not isinstance(value, type):
        return [(field.name, getattr(value, field.name)) for field in fields(value)]
    return ()


@pytest.fixture
def rendered() -> Iterator[dict[str, list[str]]]:
    found: dict[str, list[str]] = {}

    def look(template: Template, context: Context, **_: object) -> None:
        wrong = found.setdefault(str(template.name), [])
        for layer in context.dicts:
            wrong += secrets_in(layer)

    template_rendered.connect(look)
    yield found
    template_rendered.disconnect(look)


@pytest.fixture
def told(transactional_db: None) -> dict[str, Any]:
    """The ids of players, games and deals with which every page of the site can be visited, from `inhabitants`."""
    past = timezone.now().date() - timedelta(days=3)
    seal_deal("labyrinth")
    publishing.publish("labyrinth", past)
    for day in (timezone.now().date(), timezone.now().date() + timedelta(days=1)):
        for variant in CATALOGUE:
            make_deal(variant, day=day)
    found = inhabitants.inhabit()
    member = Attempt.objects.get(public_id=found["parts"]["finished"]).player
    asked = start_attempt(member, publishing.practice_deal("stonewall"))
    Question.objects.create(attempt=asked, n=0, asked_at=timezone.now(), answer=Question.Answer.YES, way=[])
    return {**found, "asked": asked.public_id}


def test_no_page_context_contains_a_secret(told: dict[str, Any], rendered: dict[str, list[str]]) -> None:
    visited = set()
    for visitor in VISITORS:
        client = Client(headers={"host": "127.0.0.1"})
        if visitor in told["cookies"]:
            client.cookies["sessionid"] = told["cookies"][visitor]
        pages = [(name, address) for name, address, _first in visits(visitor, told["parts"]) if name not in NO_PAGES]
        if visitor == "member":
            pages += [("games:way", f"/table/{told['asked']}/way/"), ("games:table", f"/table/{told['asked']}/")]
            pages += [("games:practice", f"/practice/?deal={deal.pk}") for deal in Deal.objects.filter(variant="plot")]
        for name, address in pages:
            cache.clear()  # resets the visitor's rate limits
            rendered.clear()
            page = client.get(address)
            assert (page.status_code, any(rendered.values())) == (200, False), (address, rendered)
            assert rendered, address
            visited.add(name)
    assert visited == (set(NAMES) - set(NO_PAGES)) | {"games:way"}


TEMPLATES = Path(settings.BASE_DIR) / "frontend" / "templates"


@pytest.mark.parametrize(
    ("ms", "places", "text"),
    [
        (0, 1, "0:00.0"),
        (61_999, 1, "1:01.9"),
        (61_009, 3, "1:01.009"),
        (61_999, 0, "1:01"),
        (3_600_000 + 247_312, 1, "1:04:07.3"),
        (None, 1, "–"),
    ],
)
def test_a_time_is_formatted(ms: int | None, places: int, text: str) -> None:
    assert duration(ms, places) == text


def test_the_decimal_sign_follows_the_language() -> None:
    with translation.override("de"):
        assert duration(61_999) == "1:01,9"


def test_neighbours_that_would_look_equal_get_more_digits() -> None:
    board = [(52, 60_010), (52, 60_090), (52, 60_110), (51, 60_110), (51, 60_110), (50, None), (50, None)]
    shown = timed([SimpleNamespace(cards_up=cards, elapsed_ms=ms) for cards, ms in board])
    assert [text for _, text in shown] == ["1:00.010", "1:00.090", "1:00.1", "1:00.110", "1:00.110", "–", "–"]
    assert [one.elapsed_ms for one, _ in shown] == [ms for _, ms in board]
    assert timed([]) == []


def test_no_page_formats_times_otherwise() -> None:
    for path in TEMPLATES.rglob("*.html"):
        for written in re.findall(r"\w+\.(?:elapsed_ms|best_ms)\b(\|\w+)?", path.read_text()):
            assert written == "|duration", path.name


@pytest.mark.parametrize(("change", "shown"), [(5, "+5"), (-12, "−12"), (0, "±0")])
def test_changes_have_their_sign(change: int, shown: str) -> None:
    assert signed(change) == shown


TABLE = """{% load tables %}{% stacked %}<table class="met"><thead><tr>
  <th scope="col">Race</th><th class="number">{{ name }}</th><th><span class="visually-hidden">Replay</span></th>
</tr></thead>
<tbody><tr class="me"><th scope="row">The Plot</th><td>1</td><td><a href="/">Replay</a></td></tr>
<tr><td colspan="3">No one yet.</td></tr></tbody></table>{% endstacked %}"""


def test_cells_have_their_heading_and_all_parts_a_role() -> None:
    shown = Template(TABLE).render(Context({"name": 'Tom & "Jerry"'}))
    assert re.findall(r'<(\w+)[^>]* role="(\w+)"', shown) == [
        ("table", "table"),
        ("thead", "rowgroup"),
        ("tr", "row"),
        *[("th", "columnheader")] * 3,
        ("tbody", "rowgroup"),
        ("tr", "row"),
        ("th", "rowheader"),
        *[("td", "cell")] * 2,
        ("tr", "row"),
        ("td", "cell"),
    ]
    assert re.findall(r'<td[^>]* data-label="([^"]*)">(.*?)</td>', shown) == [("Tom &amp; &quot;Jerry&quot;", "1")]
    assert '<tr class="me" role="row">' in shown
