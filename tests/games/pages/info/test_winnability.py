"""The winnability page: the stored figures as text, pictures and CSV."""

from __future__ import annotations

import csv
from html.parser import HTMLParser
from io import StringIO

import pytest
from django.test import Client
from django.urls import resolve
from django.utils import translation

from games.pages.info.winnability_page import LENGTH, percent, study_summaries
from games.pages.shared.anonymous_cache import MARK
from games.rules import CATALOGUE, GAMES
from games.solver import winnability_figures

pytestmark = pytest.mark.django_db


class Pictures(HTMLParser):
    """The drawn bars of a page: their text for screen readers, and the widths of their parts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.said: list[str] = []
        self.widths: list[dict[str, int]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "svg" and given.get("role") == "img":
            self.said.append(given["aria-label"])
            self.widths.append({})
        elif tag == "rect":
            self.widths[-1][given["class"]] = int(given["width"])


def page(client: Client, language: str = "en") -> str:
    answer = client.get("/winnability/", headers={"accept-language": language})
    assert answer.status_code == 200
    return answer.content.decode()


def test_every_variant_has_a_bar_described_in_words(client: Client) -> None:
    drawn = Pictures(page(client))
    rows = sorted(winnability_figures.read(), key=lambda row: -row.won / row.deals)
    assert len(drawn.said) == 2 * len(CATALOGUE), "the shares, and the moves"
    for row, said, widths in zip(rows, drawn.said, drawn.widths, strict=False):
        for outcome in ("won", "undecided", "lost"):
            share = getattr(row, outcome) / row.deals
            assert f"{100 * share:.1f}%" in said
            assert widths.get(outcome, 0) == pytest.approx(LENGTH * share, abs=1)
        assert sum(widths.values()) == LENGTH


def test_the_table_has_every_share_with_its_interval(client: Client) -> None:
    text = page(client)
    for row in winnability_figures.read():
        for outcome in winnability_figures.OUTCOMES:
            share = row.share(outcome)
            assert f"{100 * share.value:.1f}%<small>{100 * share.low:.1f}–{100 * share.high:.1f}</small>" in text
        assert f"{row.budget:,}" in text


def test_the_true_share_is_bounded_by_the_undecided(client: Client) -> None:
    text = page(client)
    for row in study_summaries():
        low, high = row.share("won").low, row.share("won", "undecided").high
        assert f">{100 * low:.1f}–{100 * high:.1f}%</td>" in text


def test_figures_follow_the_languages_format(client: Client) -> None:
    with translation.override("de"):
        assert percent(0.645) == "64,5\u00a0%"
    text = page(client, "de")
    assert all("." not in widths for widths in map(str, Pictures(text).widths))
    for row in study_summaries():
        share = f"{100 * row.share('won').value:.1f}"
        assert f"{share.replace('.', ',')}\u00a0%<small>" in text
        assert f"{share}%" not in text


def test_the_download_is_the_file_behind_the_page(client: Client) -> None:
    answer = client.get("/winnability.csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert "attachment" in answer["Content-Disposition"]
    assert "public" in answer["Cache-Control"]
    rows = list(csv.DictReader(StringIO(answer.content.decode())))
    assert [(row["variant"], int(row["won"])) for row in rows] == [
        (row.variant, row.won) for row in winnability_figures.read()
    ]


def test_visitors_share_a_cached_copy() -> None:
    assert getattr(resolve("/winnability/").func, MARK) == 60.0


@pytest.mark.parametrize("address", ["/", "/rules/", "/practice/", *(f"/rules/{game}/" for game in GAMES)])
def test_it_is_linked_from_related_pages(client: Client, address: str) -> None:
    text = client.get(address).content.decode()
    main, footer = text.split("<footer")
    assert 'href="/winnability/"' in footer
    assert address == "/" or 'href="/winnability/"' in main
