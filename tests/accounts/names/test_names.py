"""Names: permitted, unique as they look, searched, and shown to others only if permitted."""

from __future__ import annotations

import re
import string
import unicodedata
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from confusable_homoglyphs.utils import load
from django.apps import apps
from django.conf import settings as site_settings
from django.core.exceptions import ValidationError
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation
from django.utils.translation import gettext
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.models import User
from accounts.names import confusables
from accounts.names.allowed_characters import is_fit
from accounts.names.directory import MOST_FOUND, find_by_name, find_players
from accounts.names.renaming import rename_player
from accounts.names.validation import LONGEST, LONGEST_KEY, alike_keys, clean_name, guest_name, name_key
from accounts.sign_in.guests import create_guest
from games.core import limits
from games.models import Attempt
from tests.accounts.conftest import PASSWORD, MakeAttempt
from tests.factories import make_deal

pytestmark = pytest.mark.django_db


#: Names that need no normalizing.
VALID = (
    "Ada", "Zoë O'Hara-Smith", "Анна", "山田 太郎", "हिन्दी", "7 of 9", "Ada 山田", "アーダ 花々", "한국 Ada",
    "Søren Ærø", "Łukasz Żółć", "Əli Gülşən", "Straße", "Guðrún Þóra", "Ɗanlami", "Nguyễn Thị Hương", "Щербаківна Їжак",
    "Ђорђе Љиљана", "Ελένη Παπαδοπούλου", "שרה כהן", "محمد ٣", "สมชาย", "தமிழ்", "ნინო", "Արամ", "አበበ",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name"),
    [*zip(VALID, VALID, strict=True), ("  Ada   Lovelace ", "Ada Lovelace"), ("Ａｄａ", "Ada")],
)
def test_names_are_normalized(text: str, name: str) -> None:
    assert clean_name(text) == name


INVALID = {
    "name_length": ("", "A", "A" * 25),
    "name_characters": (
        "Ada<b>", "ada@example.org", "Ada..L", "-Ada", "Ada-", "🂡 Ada", "A\u115fda", "A\u1160da", "A\uffa0da",
        "\u3164\u3164", "Ada\U000e0101", "\u1820\u180b\u1820", "A\u17b4da", "A\u200dda", "A\u2060da", "Ada ɢʀᴀʏ",
        "ʀuth", "ꞎila", "Ada 1२",
        "Ada\u200bL",  # zero width
        "Ada\u202eL",  # reverses the text direction
        "Ad\u0336\u0337\u0338a",  # marks stacked on a letter
        "A\u3164da",  # Hangul filler; NFKC makes another filler of it
        "Ada\ufe0f",  # variation selectors
        "A\u034fda",  # combining grapheme joiner
        "A\u00adda",  # soft hyphen
        "ǀila",  # a click
        "ɱary",  # phonetic
        "ᴀda",  # small capitals
        "Ꭺda",  # Cherokee
        "ꓮꓓꓮ",  # Lisu
        "ⲁⲇⲁ",  # Coptic
        "𐌰𐌳𐌰",  # Gothic
        "ᚨᛞᚨ",  # runes
        "ߊda",  # N'Ko
        "محـمد",  # a tatweel, which makes a letter wider
        "Ada\u0378",  # unassigned
    ),
    "name_alphabets": (
        "Ada Шевченко", "Ада Λ", "עAda", "Ada ไทย", "Иван 山田", "한국 あ", "Ada ٣",
        "Аdа",  # Cyrillic А and а around a Latin d
        "Αda",  # a Greek alpha
        "Adа",  # a Cyrillic a
    ),
    "name_reserved": (
        "Admin", "a d m i n", "Tal0n", "Former player", "Guest 455", "Gast455", "guest 101", "455 Player", "Players",
        "Ghost", "the_ghost.7", "Talon Team455", "Talon.Support", "Off1cial Mods", "Tal0n 24", "You 2",
        "Staff", "Personal", "Das Team", "El equipo", "L'équipe Talon", "Moderadores 3", "Invité 455", "Squadra",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, texts in INVALID.items() for text in texts])
def test_invalid_names(code: str, text: str) -> None:
    with pytest.raises(ValidationError) as error:
        clean_name(text)
    assert error.value.code == code


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada", "ADA"), ("Ada", "Àdä"), ("Ada Lovelace", "ada_lovelace"), ("Bob", "B0b"), ("Illy", "l11y"),
        ("Анна", "AHHA"), ("Corn", "Com"), ("Straße", "Strasse"), ("Οδος", "οδοσ".upper()),
        ("Ada", "А\u0434\u0430".replace("\u0434", "d")), ("Ada", "A\u3164da"), ("Ada", "A\ufe0fda"),
        ("Lila", "ǀila"), ("Mara", "ɱara"), ("Mara", "rnara"), ("Ivvan", "Iwan"), ("Anna", "Аппа"), ("cop", "сор"),
        ("HOB", "НОВ"), ("Pаul", "Ρaul"), ("Søren", "Soren"), ("Ægir", "AEgir"), ("O'Hara", "OʼHara"),
        ("Bob", "ΒΟΒ"), ("Ilse", "1lse"), ("Ilse", "ӏlse"), ("Ada", "𝐀𝐝𝐚"), ("Ruth", "ʀuth"), ("HOPE455", "ΗΟΡΕ455"),
        ("hope455", "ΗΟΡΕ455"), ("nope", "ηορε"), ("KIM", "ΚΙΜ"), ("YANNIS", "ΥΑΝΝΙS"), ("Иван", "ИВАН"),
        ("Щербаківна", "ЩЕРБАКІВНА"), ("Արամ", "ԱՐԱՄ"), ("محمد", "محـمد"), ("محمد", "مـحـمـد"),
    ],
)  # fmt: skip
def test_names_that_read_alike_have_one_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada", "Ida"), ("कि कि", "का का"), ("山田", "山口"), ("Bob", "Bobby"), ("Guðrún", "Gurun"), ("Clara", "Dara"),
        ("Иван", "Йоан"), ("Thor", "Þor"), ("нить", "вить"),
    ],
)  # fmt: skip
def test_names_that_differ_have_different_keys(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)


@pytest.mark.parametrize(
    "name", ["Ghostly", "Meme", "Botond", "Teammate 7", "455", "Goalkeeper", "Modest", "Das", "La Lola", "Personio"]
)
def test_a_name_may_contain_reserved_words(name: str) -> None:
    assert clean_name(name) == name


@pytest.mark.parametrize("language", [code for code, _ in site_settings.LANGUAGES])
def test_the_sites_words_for_players_are_reserved_in_every_language(language: str) -> None:
    with translation.override(language):
        words = {gettext(text) for text in ("Ghost", "Former player", "guest", "You", "Someone", "Everyone")}
    for name in [*words, f"{gettext('guest')} 455"]:
        with pytest.raises(ValidationError) as error:
            clean_name(name)
        assert error.value.code == "name_reserved", name


@pytest.mark.parametrize("name", ["Νίκος", "Μυρσίνη", "Ελένη Υψηλάντη", "Иван", "Ada", "Zoë"])
def test_a_name_matches_its_other_spellings(name: str) -> None:
    for spelling in (name.lower(), name.upper(), name.title()):
        assert name_key(name) in alike_keys(spelling)


@pytest.mark.parametrize(
    ("first", "second"),
    [("HOPE455", "ΗΟΡΕ455"), ("ΗΟΡΕ455", "Hope455"), ("Νίκος", "ΝΙΚΟΣ"), ("ΝΙΚΟΣ", "νίκος")],
)
def test_twins_in_another_alphabet_or_case_cannot_both_register(first: str, second: str) -> None:
    for name in (first, second):
        form = {"username": name, "password1": PASSWORD}
        Client().post("/accounts/signup/", form)
    other = User.objects.create_user("Somebody else", password=PASSWORD)
    with pytest.raises(ValidationError):
        rename_player(other, second)
    assert set(User.objects.values_list("username", flat=True)) == {first, "Somebody else"}


@pytest.mark.parametrize("typed", ["Νίκος", "νίκος", "ΝΙΚΟΣ", "νικος"])
def test_a_greek_name_is_found_in_any_case(typed: str) -> None:
    user = User.objects.create_user("Νίκος", password=PASSWORD)
    client = Client()
    client.post("/accounts/login/", {"login": typed, "password": PASSWORD})
    assert client.session["_auth_user_id"] == str(user.pk)
    assert find_by_name(typed) == user.pk
    assert find_players(typed[:3]) == [user]


@settings(deadline=None)
@given(st.text(max_size=40))
def test_a_valid_name_stays_valid_and_has_a_key(text: str) -> None:
    try:
        name = clean_name(text)
    except ValidationError:
        return
    assert clean_name(name) == name
    assert name_key(name)
    assert len(name) <= LONGEST


@settings(deadline=None)
@given(st.text(max_size=40))
def test_keys_ignore_case_and_composition(text: str) -> None:
    key = name_key(text)
    assert key == name_key(unicodedata.normalize("NFD", text)) == name_key(unicodedata.normalize("NFC", text))
    assert len(key) <= 40 * 18  # NFKC may expand one character to eighteen


def test_ascii_stands_for_itself() -> None:
    """Only letters and digits that look alike in common typefaces share a key."""
    groups: dict[str, set[str]] = {}
    for character in string.ascii_lowercase + string.digits:
        groups.setdefault(name_key(character), set()).add(character)
    assert [group for group in groups.values() if len(group) > 1] == [{"i", "l", "1"}, {"o", "0"}, {"s", "5"}]


@pytest.mark.parametrize(("one", "other"), [("cl", "d"), ("ci", "a"), ("nn", "m"), ("m", "rn"), ("I", "l"), ("0", "O")])
def test_the_standards_table_decides_which_ascii_letters_look_alike(one: str, other: str) -> None:
    listed = other in [homoglyph["c"] for homoglyph in load("confusables.json").get(one, [])]
    assert (name_key(f"Bo{one}ara") == name_key(f"Bo{other}ara")) == listed


def test_the_standards_data_has_one_prototype_for_each() -> None:
    prototypes = confusables._prototypes()
    assert len(prototypes) > 5000
    assert not set(prototypes) & set(string.printable)
    assert prototypes["\u0430"] == "a"
    assert prototypes["\u0271"].startswith("rn")


def test_keys_fit_into_their_column() -> None:
    fit = [c for c in confusables._prototypes() if unicodedata.is_normalized("NFKC", c) and is_fit(c)]
    longest = max(fit, key=lambda c: len(name_key(c)))
    assert len(name_key(longest)) * LONGEST <= LONGEST_KEY == User._meta.get_field("name_key").max_length


def test_existing_names_keep_their_owners() -> None:
    """The names had different keys when they were registered, and have the same one now."""
    migration = import_module("accounts.migrations.0005_name_keys_without_tatweel")
    old = [("Søren", "søren"), ("Soren", "soren"), ("S\u00f6ren", "soren~"), ("\u3164\u3164", "\u3164"), ("Ada", "ada")]
    old += [("HOPE455", "hope4ss"), ("ΗΟΡΕ455", "nope4ss"), ("Νίκος", "vlkoo")]  # keys did not consider capitals
    old += [("محـمد", "محـمد"), ("محمد", "محمد"), ("علـي", "علـي")]  # nor tatweels
    users = [User.objects.create_user(name, password=PASSWORD, name_key=key) for name, key in old]
    User.objects.create_user("guest-1", is_guest=True)
    migration.fold_again(apps, None)
    keys = dict(User.objects.values_list("pk", "name_key"))
    assert keys.pop(max(keys)) is None  # the guest's
    numbers = [user.pk for user in users]
    assert [keys[number] for number in numbers] == [
        "soren", f"soren~{numbers[1]}", f"soren~{numbers[2]}", f"~{numbers[3]}", "ada",
        "hope4ss", f"hope4ss~{numbers[6]}", "nlkoo", "محمد", f"محمد~{numbers[9]}", "على",
    ]  # fmt: skip
    migration.fold_again(apps, None)
    assert dict(User.objects.filter(is_guest=False).values_list("pk", "name_key")) == keys
    for typed, user in [(user.username, user) for user in users[:3] + users[4:]] + [
        ("SOREN", users[0]),
        ("علي", users[10]),
    ]:
        client = Client()
        client.post("/accounts/login/", {"login": typed, "password": PASSWORD})
        assert client.session["_auth_user_id"] == str(user.pk)


def test_guests_get_friendly_names() -> None:
    first, second, number = guest_name().split()
    assert first.istitle()
    assert second.istitle()
    assert number.isdigit()


ROOT = Path(__file__).resolve().parents[3]
NOW = timezone.now()

#: Fields of the rule, and the only files that may name them: the rule, code that sets a field, and staff pages.
FIELDS = {
    r"banned_at": {"accounts/managers.py", "accounts/models.py", "accounts/lifecycle/bans.py", "accounts/admin.py"},
    r"hide_presence": {"accounts/models.py", "accounts/preferences.py", "accounts/forms.py"},
    r"is_guest[\"']?\s*[:=]\s*False,\s*[\"']?\w*(banned|deleted)_at": {"accounts/managers.py", "accounts/admin.py"},
}
PACKAGES = ("accounts", "config", "frontend", "games", "leaderboards")


def sources() -> dict[str, str]:
    """Return the product's Python and templates by path, without migrations."""
    found = [path for package in PACKAGES for kind in ("*.py", "*.html") for path in (ROOT / package).rglob(kind)]
    return {str(path.relative_to(ROOT)): path.read_text() for path in found if "migrations" not in path.parts}


def test_the_rule_is_written_in_one_place() -> None:
    texts = sources()
    for field, allowed in FIELDS.items():
        assert {path for path, text in texts.items() if re.search(field, text)} <= allowed


def test_games_and_boards_do_not_test_for_guests() -> None:
    named = {path for path, text in sources().items() if re.search(r"\bis_guest\b", text)}
    assert named
    assert not [path for path in named if path.startswith(("games/", "leaderboards/", "frontend/templates/boards"))]


@pytest.mark.parametrize(
    ("change", "is_listed", "has_page", "is_seen"),
    [
        ({}, True, True, True),
        ({"preferences": {"hide_presence": True}}, True, True, False),
        ({"deleted_at": NOW}, True, False, False),
        ({"banned_at": NOW}, False, False, False),
        ({"is_guest": True}, False, False, False),
    ],
)
def test_rows_and_queries_agree(
    change: dict[str, Any],
    make_attempt: MakeAttempt,
    *,
    is_listed: bool,
    has_page: bool,
    is_seen: bool,
) -> None:
    create_guest()
    player = User.objects.create_user("Ariadne", **change)
    make_attempt(player, make_deal())
    assert (player.is_listed, player.has_page, player.may_be_seen_playing) == (is_listed, has_page, is_seen)
    assert list(User.objects.listed()) == [player] * is_listed
    assert list(User.objects.with_page()) == [player] * has_page
    assert Attempt.objects.filter(User.objects.listed_at("player")).count() == is_listed


def player(name: str, **fields: Any) -> User:
    return User.objects.create_user(name, **fields)


def found(text: str) -> list[str]:
    return [str(one) for one in find_players(text)]


def test_names_are_found_by_prefix_in_any_spelling() -> None:
    for name in ("Ariadne", "Ari", "Aristotle", "Mariana"):
        player(name)
    assert found("ari") == ["Ari", "Ariadne", "Aristotle"]
    assert found("Á R I a") == ["Ariadne"]
    assert found("ar|") == found("ari") == found("arı")


@pytest.mark.parametrize("text", ["", "a", " ", "..", "\x00", "%", "_%", "ari%"])
def test_too_short_queries_find_nothing(text: str) -> None:
    player("Ariadne")
    assert found(text) == (["Ariadne"] if text == "ari%" else [])


def test_only_players_with_a_page_are_found() -> None:
    now = timezone.now()
    player("Orpheus")
    player("Orpheus two", deleted_at=now)
    player("Orpheus three", banned_at=now)
    create_guest()
    assert found("orph") == ["Orpheus"]
    assert found("guest") == []


def test_a_page_of_players_is_one_query() -> None:
    for number in range(MOST_FOUND + 5):
        player(f"Theseus {number}")
    with CaptureQueriesContext(connection) as queries:
        assert len(found("theseus")) == MOST_FOUND
    assert len(queries) == 1


def test_the_page_links_to_its_results(client: Client) -> None:
    ariadne = player("Ariadne")
    page = client.get("/players/", {"name": " aria"}).content.decode()
    assert f'href="/players/{ariadne.public_id}/"' in page
    nobody = client.get("/players/", {"name": "<b>xyz"}).content.decode()
    assert "s name starts with “&lt;b&gt;xyz”" in nobody
    assert 'role="search"' in client.get("/players/").content.decode()


def test_searching_is_limited(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "search", "2/m")
    answers = [client.get("/players/", {"name": "ab"}).status_code for _ in range(3)]
    assert answers == [200, 200, 429]
    assert client.get("/players/").status_code == 200


def test_the_api_finds_the_same_players(client: Client) -> None:
    ariadne = player("Ariadne")
    assert client.get("/api/v1/players", {"name": "ARI"}).json() == [{"id": str(ariadne.public_id), "name": "Ariadne"}]
    for name in ("", "a", "x" * 65, "ab\x00"):
        assert client.get("/api/v1/players", {"name": name}).json()["error"]["code"] == "bad_parameters"
