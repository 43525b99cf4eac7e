"""What may be a name, and which names are too much alike."""

from __future__ import annotations

import unicodedata

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.names import LONGEST, clean_name, guest_name, name_key


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ada", "Ada"),
        ("  Ada   Lovelace ", "Ada Lovelace"),
        ("Ａｄａ", "Ada"),
        ("Zoë O'Hara-Smith", "Zoë O'Hara-Smith"),
        ("Анна", "Анна"),
        ("山田 太郎", "山田 太郎"),
        ("हिन्दी", "हिन्दी"),
        ("7 of 9", "7 of 9"),
    ],
)
def test_names_are_tidied(text: str, name: str) -> None:
    assert clean_name(text) == name


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "name_length"),
        ("A", "name_length"),
        ("A" * 25, "name_length"),
        ("Ada\u200bL", "name_characters"),  # zero width
        ("Ada\u202eL", "name_characters"),  # turns the text around
        ("Ada<b>", "name_characters"),
        ("ada@example.org", "name_characters"),
        ("Ada..L", "name_characters"),
        ("-Ada", "name_characters"),
        ("Ada-", "name_characters"),
        ("Ad\u0336\u0337\u0338a", "name_characters"),  # marks heaped on a letter
        ("🂡 Ada", "name_characters"),
        ("Аdа", "name_alphabets"),  # Cyrillic А and а around a Latin d
        ("Admin", "name_reserved"),
        ("a d m i n", "name_reserved"),
        ("Tal0n", "name_reserved"),
        ("Former player", "name_reserved"),
    ],
)
def test_what_is_no_name(text: str, code: str) -> None:
    with pytest.raises(ValidationError) as error:
        clean_name(text)
    assert error.value.code == code


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada", "ADA"),
        ("Ada", "Àdä"),
        ("Ada Lovelace", "ada_lovelace"),
        ("Bob", "B0b"),
        ("Illy", "l11y"),
        ("Анна", "AHHA"),
        ("Corn", "Com"),
        ("Straße", "Strasse"),
        ("Οδος", "οδοσ".upper()),
    ],
)
def test_names_that_read_alike_have_one_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(("one", "other"), [("Ada", "Ida"), ("कि कि", "का का"), ("山田", "山口"), ("Bob", "Bobby")])
def test_names_that_differ_have_different_keys(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)


@settings(deadline=None)
@given(st.text(max_size=40))
def test_what_is_a_name_stays_one_and_has_a_key(text: str) -> None:
    try:
        name = clean_name(text)
    except ValidationError:
        return
    assert clean_name(name) == name
    assert name_key(name)
    assert len(name) <= LONGEST


@settings(deadline=None)
@given(st.text(max_size=40))
def test_keys_do_not_tell_case_or_composition(text: str) -> None:
    key = name_key(text)
    assert key == name_key(unicodedata.normalize("NFD", text)) == name_key(unicodedata.normalize("NFC", text))
    assert len(key) <= 40 * 18  # NFKC may spell one character out as eighteen


def test_guests_get_friendly_names() -> None:
    first, second, number = guest_name().split()
    assert first.istitle()
    assert second.istitle()
    assert number.isdigit()
