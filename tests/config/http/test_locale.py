"""Language of an answer: the chosen one, else the browser's, else English; API clients always get English."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.conf import settings
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import BACKEND, create_guest
from games.deals.todays_game import todays_game

pytestmark = pytest.mark.django_db
CHOOSE = "/language/"
COOKIE = settings.LANGUAGE_COOKIE_NAME
PASSWORD = "seven of wands"


def language_of(response: Any) -> str:
    found = re.search(r'<html lang="([^"]+)"', response.content.decode())
    assert found is not None
    return found[1]


def page(client: Client, accepted: str = "") -> Any:
    return client.get("/rules/braid/", headers={"accept-language": accepted} if accepted else {})


@pytest.mark.parametrize(
    ("accepted", "wanted"),
    [
        ("", "en-gb"),
        ("de", "de"),
        ("de-CH,fr;q=0.8", "de"),
        ("en-US,de;q=0.5", "en-gb"),
        ("it,de;q=0.5", "de"),
        ("it", "en-gb"),
        ("de;q=x, ***", "en-gb"),
    ],
)
def test_the_browsers_language_is_used_if_available(client: Client, accepted: str, wanted: str) -> None:
    response = page(client, accepted)
    assert language_of(response) == wanted
    assert response["Content-Language"] == wanted


def test_a_choice_lasts_and_overrides_the_browsers_language(client: Client) -> None:
    response = client.post(CHOOSE, {"language": "en-gb", "next": "/rules/plot/"})
    assert (response.status_code, response["Location"]) == (302, "/rules/plot/")
    assert response.cookies[COOKIE]["max-age"] > 365 * 24 * 3600
    assert language_of(page(client, "de")) == "en-gb"
    client.post(CHOOSE, {"language": "de"})
    assert language_of(page(client, "en")) == "de"


def test_a_choice_redirects_only_within_the_site(client: Client) -> None:
    for next_page in ("https://elsewhere.example/", "//elsewhere.example/", "javascript:alert(1)"):
        assert client.post(CHOOSE, {"language": "de", "next": next_page})["Location"] == "/"


@pytest.mark.parametrize("made_up", ["tlh", "", "../../etc", "de\r\nSet-Cookie: a=b"])
def test_an_unknown_language_is_ignored(client: Client, made_up: str) -> None:
    client.post(CHOOSE, {"language": made_up})
    assert language_of(page(client)) == "en-gb"


def test_every_language_is_listed_by_its_own_name(client: Client) -> None:
    text = page(client).content.decode()
    for code, name in settings.LANGUAGES:
        assert re.search(rf'<button\s+name="language" value="{code}" lang="{code}"[^>]*>{name}</button>', text)


def test_answers_declare_what_they_vary_on(client: Client) -> None:
    assert {"accept-language", "cookie"} <= {one.strip().lower() for one in page(client)["Vary"].split(",")}


def test_two_languages_do_not_mix(client: Client) -> None:
    """Cached boards, titles and forms contain no words."""
    wanted = {"/boards/": "Bestenlisten", "/practice/": "Tarot-Patience", "/accounts/signup/": "Konto anlegen"}
    for _ in range(2):
        for path, german in wanted.items():
            assert german in client.get(path, headers={"accept-language": "de"}).content.decode()
            assert german not in client.get(path, headers={"accept-language": "en"}).content.decode()


@pytest.mark.parametrize(("accepted", "wanted"), [("de", "Du bekommst diese"), ("en", "You're receiving this")])
def test_mail_is_in_the_language_of_the_requesting_page(client: Client, accepted: str, wanted: str) -> None:
    form = {"username": "Ada", "email": "ada@example.org", "password1": PASSWORD}
    client.post(reverse("account_signup"), form, headers={"accept-language": accepted})
    assert len(mail.outbox) == 1
    assert wanted in mail.outbox[0].body


def test_api_answers_are_english(client: Client) -> None:
    german = {"accept-language": "de"}
    for path, headers in (("/api/v1/nothing", german), ("/nowhere/", german | {"accept": "application/json"})):
        assert client.get(path, headers=headers).json()["error"]["message"] == "Nothing found at this address."
    assert "accept-language" not in client.get("/api/v1/nothing", headers=german).get("Vary", "").lower()


def test_a_players_choice_is_stored_with_the_account(client: Client) -> None:
    guest = create_guest()
    client.force_login(guest, backend=BACKEND)
    client.post(CHOOSE, {"language": "de"})
    guest.refresh_from_db()
    assert guest.preferences == {"language": "de"}


def test_signing_in_brings_the_choice_to_another_browser(client: Client) -> None:
    User.objects.create_user("Ada", password=PASSWORD, preferences={"language": "de"})
    client.post(reverse("account_login"), {"login": "Ada", "password": PASSWORD})
    assert language_of(page(client, "en")) == "de"


def test_the_settings_show_and_reset_the_choice(client: Client) -> None:
    client.force_login(create_guest(), backend=BACKEND)
    client.post(CHOOSE, {"language": "de"})
    address = reverse("players:settings")
    assert '<option value="de" selected lang="de">Deutsch</option>' in client.get(address).content.decode()
    look = {"theme": "system", "table": "green", "back": "lattice", "card_face": "classic"}
    form = look | {"motion": "system", "auto_up": "off"}
    client.post(address, form | {"language": "browser"})
    assert language_of(page(client, "en")) == "en-gb"
    client.post(address, form | {"language": "de"})
    assert language_of(page(client, "en")) == "de"


@pytest.mark.parametrize("language", dict(settings.LANGUAGES))
def test_every_language_has_its_manifest(client: Client, language: str) -> None:
    address = f"/manifest.{language}.webmanifest"
    assert f'<link rel="manifest" href="{address}">' in page(client, language).content.decode()
    manifest = client.get(address).json()
    assert (manifest["lang"], manifest["short_name"]) == (language, "Talon")
    shortcuts = manifest["shortcuts"]
    icons = [icon for part in (manifest, *shortcuts) for icon in part["icons"]]
    assert all(client.get(icon["src"]).status_code == 200 for icon in icons)
    assert manifest["start_url"] == "/"
    assert len({shortcut["name"] for shortcut in shortcuts}) == 2
    variant = todays_game(timezone.now().date())
    assert client.get(shortcuts[0]["url"])["Location"] == f"/play/{variant}/"
    assert client.get(shortcuts[1]["url"]).status_code == 200


def test_there_is_no_other_manifest(client: Client) -> None:
    assert client.get("/manifest.it.webmanifest").status_code == 404
