"""Information pages: rules, fair play, winnability, and the terms that other pages link to."""

from __future__ import annotations

import csv
import re
from html.parser import HTMLParser
from io import StringIO

import pytest
from django.test import Client
from django.utils import translation
from django.utils.html import escape

from accounts.sign_in.guests import BACKEND, create_guest
from games.attempts.lifecycle import start_attempt
from games.manifests import MANIFESTS
from games.models import Deal
from games.pages.info.winnability_page import LENGTH, percent, study_summaries
from games.rules import CATALOGUE, GAMES
from games.solver import winnability_figures
from tests.factories import make_deal

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


def test_three_questions_lead_to_a_game(client: Client) -> None:
    assert 'id="suggestion"' not in client.get("/rules/which/").content.decode()
    assert "/rules/which/" in client.get("/rules/").content.decode()
    for query, game in (
        ("known=tarot&length=short&appeal=planning", "tarot"),
        ("known=none&length=short", "stonewall"),
        ("length=short&appeal=simplicity", "labyrinth"),
        ("known=nonsense", "stonewall"),
    ):
        text = client.get(f"/rules/which/?{query}").content.decode()
        assert f'name="name" value="{MANIFESTS[game].kindred.start}"' in text, query
        assert str(escape(MANIFESTS[game].kindred.comparison)) in text
        assert text.count(" checked") == len(re.findall("=(?!nonsense)", query))


def test_each_games_rules_compare_it_with_a_known_one(client: Client) -> None:
    for game, manifest in MANIFESTS.items():
        for address in ("/rules/", f"/rules/{game}/"):
            assert str(escape(manifest.kindred.comparison)) in client.get(address).content.decode()


FAIR_PLAY, WINNABILITY = 'href="/fairplay/"', 'href="/winnability/"'
SCORING = '<details class="words"><summary>How scoring works</summary>'


def test_terms_are_explained_or_linked_where_they_appear(client: Client) -> None:
    day = make_deal("tarot").day
    for address, shown in (
        ("/", (FAIR_PLAY, SCORING, "Each undo counts as a move")),
        ("/verify/", (FAIR_PLAY,)),
        ("/fairplay/", (WINNABILITY, *(f'href="{page}"' for page in ("/verify/", "/ledger/", "/api/v1/docs")))),
        ("/rules/", (WINNABILITY,)),
        ("/practice/", (WINNABILITY, SCORING)),
        *((address, (SCORING,)) for address in (f"/deals/{day}/", f"/boards/{day}/tarot/")),
        *((address, (SCORING,)) for address in ("/boards/", "/boards/week/", "/boards/nine/")),
    ):
        main, footer = client.get(address).content.decode().split("<footer")
        assert not any(f'href="{page}"' in footer for page in ("/winnability/", "/verify/", "/ledger/", "/api/v1/docs"))
        for part in shown:
            assert part in (main if address != "/" else main + footer), (address, part)


def test_the_figures_at_a_table_open_their_explanation(client: Client) -> None:
    client.force_login(player := create_guest(), backend=BACKEND)
    page = client.get(f"/table/{start_attempt(player, make_deal('tarot')).public_id}/").content.decode()
    for figure in ("cards-up", "moves"):
        assert re.search(
            rf'<button class="figure"[^>]* data-opens="help-dialog"[^>]*>\s*<small>[^<]*</small><b id="{figure}">', page
        )
    assert "<b>Moves</b> counts every move" in page[page.index('<dialog id="help-dialog"') :]


def test_a_deal_with_par_and_grade_links_to_them(client: Client) -> None:
    deal = make_deal("tarot")
    address = b'href="/rules/tarot/#counted"'
    assert address not in client.get("/play/tarot/").content
    Deal.objects.filter(pk=deal.pk).update(proven=True, grade=2, par=120)
    assert address in client.get("/play/tarot/").content


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_its_rules_and_scoring(game: str, client: Client) -> None:
    page = client.get(f"/rules/{game}/")
    assert page.status_code == 200
    assert {v["name"] for v in page.context["variants"]} == {v.name for v in CATALOGUE.values() if v.game == game}
    text = page.content.decode()
    assert WINNABILITY in text.split("<footer")[0]
    assert "<b>Par</b>" in text[text.index('id="counted"') :]


def test_an_unknown_game_has_no_rules(client: Client) -> None:
    assert client.get("/rules/nonsense/").status_code == 404


def test_one_page_links_to_all_rules(client: Client) -> None:
    page = client.get("/rules/")
    text = page.content.decode()
    assert page.status_code == 200
    for game in GAMES:
        assert f'href="/rules/{game}/"' in text
    assert [name for game in page.context["games"] for name in game["variants"]] == list(CATALOGUE)
    assert re.search(r'<a class="wide" href="/rules/"\s+aria-current="page">', text)
