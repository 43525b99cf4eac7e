"""The fair play page and its links, and the privacy page on appeals, reports and foresight."""

from __future__ import annotations

import pytest
from django.test import Client

from games.appeals import appeals

pytestmark = pytest.mark.django_db


def test_the_page_explains_verified_in_both_languages(client: Client) -> None:
    english = client.get("/fairplay/").content.decode()
    assert "What “verified” means" in english
    assert f"within {appeals.WITHIN.days} days" in english
    german = client.get("/fairplay/", headers={"accept-language": "de"}).content.decode()
    assert "Was „geprüft“ heißt" in german


@pytest.mark.parametrize("path", ["/", "/verify/", "/rules/braid/", "/privacy/"])
def test_it_is_linked(path: str, client: Client) -> None:
    assert 'href="/fairplay/"' in client.get(path).content.decode()


def test_the_privacy_page_shows_retention_of_appeals_and_reports(client: Client) -> None:
    page = client.get("/privacy/").content.decode()
    assert "deleted 12 months after the answer" in page
    assert page.count("12 months after the answer") == 2
    assert "Staff can read that for 90 days" in page
