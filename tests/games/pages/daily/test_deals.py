"""A deal's page and data: their content, and when it becomes public."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from games.attempts.lifecycle import start_attempt
from games.models import GRACE, Deal
from games.rules import open_table
from tests.deals import make_deal

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("day", ["2026-02-30", "2026-01-01"])
def test_a_day_without_a_deal(day: str, client: Client, today: list[Deal]) -> None:
    assert client.get(f"/deals/{day}/braid/").status_code == 404


def test_a_deals_secrets_are_released_in_time(client: Client, seed: bytes) -> None:
    deal = make_deal("braid", seed=seed)
    page, data = f"/deals/{deal.day}/braid/", f"/deals/{deal.day}/braid/deal.json"
    assert deal.commitment in client.get(page).content.decode()
    assert client.get(data).status_code == 403
    Deal.objects.update(closes_at=timezone.now() - GRACE / 2)
    assert seed.hex() not in client.get(page).content.decode()
    assert client.get(data).status_code == 403
    Deal.objects.update(closes_at=timezone.now() - 2 * GRACE)
    assert seed.hex() in client.get(page).content.decode()
    told = client.get(data).json()
    assert (told["seed"], told["commitment"]) == (seed.hex(), deal.commitment)
    assert open_table("braid", deck=told["deck"]).view() == open_table("braid", seed).view()


def test_a_deals_page_links_to_the_visitors_game(client: Client, player: User) -> None:
    begun, other = make_deal("braid"), make_deal("plot")
    attempt = start_attempt(player, begun)
    client.force_login(player)
    table = f"/table/{attempt.public_id}/"
    assert table in client.get(f"/deals/{begun.day}/braid/").content.decode()
    assert table not in client.get(f"/deals/{other.day}/plot/").content.decode()
