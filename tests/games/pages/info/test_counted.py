"""Par, grades, cards up and undo: explained on the rules pages and linked from where they appear."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from accounts.sign_in.guests import BACKEND, create_guest
from games.attempts.lifecycle import start_attempt
from games.models import Deal
from games.rules import GAMES
from tests.deals import make_deal

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("game", GAMES)
def test_each_games_rules_explain_the_scoring(game: str, client: Client) -> None:
    page = client.get(f"/rules/{game}/").content.decode()
    counted = page[page.index('id="counted"') :]
    for words in ("None of them comes back to the table", "Each undo counts as a move", "<b>Par</b>", "Gentle, easy"):
        assert words in counted


@pytest.mark.parametrize(
    "address",
    ["/", "/deals/{day}/", "/practice/", "/boards/", "/boards/{day}/tarot/", "/boards/week/", "/boards/nine/"],
)
def test_scoring_is_explained_where_it_appears(address: str, client: Client) -> None:
    day = make_deal("tarot").day
    page = client.get(address.format(day=day)).content.decode()
    assert '<details class="words"><summary>What cards up, moves, par and the grades mean</summary>' in page
    assert "Each undo counts as a move" in page


def test_the_figures_at_a_table_link_to_their_meaning(client: Client) -> None:
    client.force_login(player := create_guest(), backend=BACKEND)
    page = client.get(f"/table/{start_attempt(player, make_deal('tarot')).public_id}/").content.decode()
    for figure in ("cards-up", "moves"):
        assert re.search(rf'<button class="figure"[^>]* data-opens="help-dialog"[^>]*>.*?<b id="{figure}">', page)
    helped = page[page.index('<dialog id="help-dialog"') :]
    assert "<b>Up</b> counts the cards on the foundations, <b>Moves</b> every move, each undo included." in helped


@pytest.mark.parametrize(
    "limit",
    [
        "goes on any card, and any card goes on the Fool: on the piles only",
        "He goes to no foundation",
        "An empty pile takes a king, the World or the Fool",
        "does not even go on the Fool",
        "the Fool is the first of the trumps: he can go nowhere else, nothing goes on him",
    ],
)
def test_the_rules_of_tarot_explain_the_fool(limit: str, client: Client) -> None:
    assert limit in client.get("/rules/tarot/").content.decode()


def test_a_deal_with_par_and_grade_links_to_them(client: Client) -> None:
    deal = make_deal("tarot")
    address = b'href="/rules/tarot/#counted"'
    assert address not in client.get("/play/tarot/").content
    Deal.objects.filter(pk=deal.pk).update(proven=True, grade=2, par=120)
    assert address in client.get("/play/tarot/").content
