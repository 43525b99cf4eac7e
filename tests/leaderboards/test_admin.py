from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from games.models import Attempt
from leaderboards.boards import deal_boards
from tests import factories
from tests.factories import DAY, make_deal, signed_in

pytestmark = pytest.mark.django_db
ATTEMPTS, RESULTS = "/admin/games/attempt/", "/admin/leaderboards/result/"


@pytest.fixture
def staff() -> Client:
    return signed_in(get_user_model().objects.create_superuser("staff"))


def reviewed(deal: Any) -> Attempt:
    attempt = factories.settled(deal, record=factories.superhuman(deal))
    assert attempt.state == Attempt.State.REVIEW
    return attempt


def act(client: Client, path: str, action: str, pk: int) -> Any:
    page = client.post(path, {"action": action, "_selected_action": [pk]}, follow=True)
    if page.status_code != 200:
        return page
    state, chosen = page.context["state"], page.context["chosen"]
    return client.post(reverse("admin:desk_together"), {**chosen, "state": state, "why": "Looked at."}, follow=True)


def test_staff_verify_a_review_and_its_rank_follows(staff: Client) -> None:
    attempt = reviewed(make_deal("braid", DAY))
    assert "burst" in staff.get(f"{ATTEMPTS}?state=review").content.decode()
    act(staff, ATTEMPTS, "verify_selected", attempt.pk)
    assert [entry.rank for entry in deal_boards.page(attempt.deal).entries] == [1]
    attempt.refresh_from_db()
    assert {"code": "staff", "by": "staff"}.items() <= attempt.reasons[-1].items()


def test_staff_remove_a_result_from_its_board(staff: Client) -> None:
    attempt = factories.settled(make_deal("stonewall", DAY))
    act(staff, RESULTS, "reject_selected", attempt.result.pk)
    assert deal_boards.page(attempt.deal).entries == []
    attempt.refresh_from_db()
    assert attempt.state == Attempt.State.REJECTED


def test_an_impossible_decision_is_explained(staff: Client) -> None:
    deal = make_deal("stonewall", DAY)
    attempt = factories.settled(deal, record=factories.record_of(deal, ["u"]))
    response = act(staff, ATTEMPTS, "verify_selected", attempt.pk)
    assert "be replayed, so it" in response.content.decode()


def test_neither_seed_nor_record_is_shown(staff: Client) -> None:
    attempt = reviewed(make_deal("braid", DAY))
    page = staff.get(f"{ATTEMPTS}{attempt.pk}/change/").content.decode()
    assert "plays within" in page
    assert bytes(attempt.deal.seed).hex() not in page
    assert "record" not in page.split("<fieldset")[1].split("</fieldset>")[0].lower().replace("not_", "")


def test_rows_cannot_be_edited_or_deleted(staff: Client) -> None:
    attempt = factories.settled(make_deal("stonewall", DAY))
    for path, pk in ((ATTEMPTS, attempt.pk), (RESULTS, attempt.result.pk)):
        assert staff.get(f"{path}add/").status_code == 403
        assert staff.post(f"{path}{pk}/delete/", {"post": "yes"}).status_code == 403
        staff.post(f"{path}{pk}/change/", {"state": "rejected", "cards_up": 52})
    attempt.refresh_from_db()
    assert attempt.state == Attempt.State.VERIFIED
