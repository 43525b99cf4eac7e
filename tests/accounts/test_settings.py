"""Settings pages: name and preferences."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.models import User
from accounts.preferences import PREFERENCES, clean_preferences, preferences_of
from tests.accounts.conftest import PASSWORD, MakeUser, SignIn

PREFERENCES_JSON = reverse("players:preferences")

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8), lambda v: st.lists(v, max_size=3), max_leaves=5
)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from([*PREFERENCES, "admin", ""]), json_values))
def test_stored_preferences_are_always_complete_and_valid(stored: dict[str, Any]) -> None:
    found = preferences_of(stored)
    assert list(found) == list(PREFERENCES)
    assert all(found[name] in choices for name, choices in PREFERENCES.items())
    assert clean_preferences(found) == found


@pytest.mark.parametrize(
    "wanted",
    [[], "dark", None, {"colour": "red"}, {"theme": "pink"}, {"sound": 1}, {"sound": "on"}, {"theme": ["dark"]}],
)
def test_unknown_values_are_refused(wanted: object) -> None:
    with pytest.raises(ValidationError):
        clean_preferences(wanted)


@pytest.mark.django_db
def test_preferences_are_kept_for_guests_too(guest: User, sign_in: SignIn) -> None:
    client = sign_in(guest)
    answer = client.post(PREFERENCES_JSON, {"theme": "dark", "sound": True}, content_type="application/json")
    assert answer.json()["preferences"]["theme"] == "dark"
    client.post(PREFERENCES_JSON, {"theme": "light"}, content_type="application/json")
    found = client.get(PREFERENCES_JSON).json()["preferences"]
    assert (found["theme"], found["sound"], found["table"]) == ("light", True, "green")


@pytest.mark.django_db
@pytest.mark.parametrize("body", ["{", '{"theme": "pink"}', "[]", "\xff"])
def test_bad_preferences_get_the_standard_error(user: User, mine: Client, body: str) -> None:
    answer = mine.post(PREFERENCES_JSON, body.encode("latin-1"), content_type="application/json")
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "bad_request"
    user.refresh_from_db()
    assert user.preferences == {}


@pytest.mark.django_db
def test_the_form_saves_preferences(user: User, mine: Client) -> None:
    form = {
        "theme": "dark",
        "table": "blue",
        "back": "waves",
        "card_face": "colours",
        "motion": "reduced",
        "auto_up": "safe",
        "left_handed": "on",
    }
    form["language"] = "de"
    assert mine.post(reverse("players:settings"), form).status_code == 302
    user.refresh_from_db()
    assert user.preferences == {name: choices[0] for name, choices in PREFERENCES.items()} | form | {
        "left_handed": True,
        "one_tap": False,  # unchecked
        "letter_keys": False,
    }
    assert mine.post(reverse("players:settings"), form | {"theme": "pink"}).status_code == 422


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"four_colours": True, "large_cards": False, "theme": "dark"}, {"card_face": "colours", "theme": "dark"}),
        ({"four_colours": True, "large_cards": True}, {"card_face": "large"}),
        ({"four_colours": False}, {}),
        ({"theme": "dark"}, {"theme": "dark"}),
    ],
)
def test_earlier_switches_become_a_card_face(user: User, before: dict[str, Any], after: dict[str, Any]) -> None:
    User.objects.filter(pk=user.pk).update(preferences=before)
    import_module("accounts.migrations.0003_card_face").choose_face(apps, None)
    user.refresh_from_db()
    assert user.preferences == after


@pytest.mark.django_db
def test_each_preference_has_a_picture_and_the_words_of_the_table(mine: Client) -> None:
    page = mine.get(reverse("players:settings")).content.decode()
    form = page.partition("data-preferences=")[2].partition("</form>")[0]
    assert sorted(re.findall(r'<(?:select|input)[^>]* name="((?!csrf)\w+)"', form)) == sorted(PREFERENCES)
    assert len(set(re.findall(r'class="picture"[^>]*>(.*?)</(?:svg|span)>', form, re.DOTALL))) == len(PREFERENCES)
    words = re.compile(r">\s*([^<>]*\w[^<>]*?)\s*<")
    at_the_table = words.findall(render_to_string("games/_settings_form.html"))
    assert set(at_the_table) - {"Done"} <= set(words.findall(form))


@pytest.mark.django_db
def test_the_new_name_signs_in(user: User, mine: Client, client: Any) -> None:
    mine.post(reverse("players:rename"), {"name": "  Augusta   King "})
    user.refresh_from_db()
    assert (user.username, user.display_name) == ("Augusta King", "Augusta King")
    client.post(reverse("account_login"), {"login": "augusta king", "password": PASSWORD})
    assert client.session["_auth_user_id"] == str(user.pk)


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["Grace Hopper", "gRACE h0pper", "admin", "x", "a\u202eb"])
def test_taken_and_invalid_names_are_refused(user: User, make_user: MakeUser, mine: Client, name: str) -> None:
    make_user("Grace Hopper")
    answer = mine.post(reverse("players:rename"), {"name": name})
    assert answer.status_code == 422
    assert answer.context["name_form"].errors
    user.refresh_from_db()
    assert user.display_name == "Ada Lovelace"


@pytest.mark.django_db
def test_changes_of_name_are_limited(mine: Client) -> None:
    answers = [mine.post(reverse("players:rename"), {"name": f"Ada {word}"}) for word in "abcdef"]
    assert [answer.status_code for answer in answers] == [302] * 5 + [429]
