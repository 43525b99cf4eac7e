"""Player names: permitted characters, and names that are too similar."""

from __future__ import annotations

import string
import unicodedata
from importlib import import_module

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.models import User
from accounts.names import confusables
from accounts.names.player_search import find_players
from accounts.names.public_names import find_by_name
from accounts.names.renaming import rename_player
from accounts.names.validation import LONGEST, LONGEST_KEY, alike_keys, clean_name, guest_name, name_key
from tests.accounts.conftest import PASSWORD


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
        ("Ada 山田", "Ada 山田"),
        ("アーダ 花々", "アーダ 花々"),
        ("한국 Ada", "한국 Ada"),
        ("Søren Ærø", "Søren Ærø"),
        ("Łukasz Żółć", "Łukasz Żółć"),
        ("Əli Gülşən", "Əli Gülşən"),
        ("Straße", "Straße"),
        ("Guðrún Þóra", "Guðrún Þóra"),
        ("Ɗanlami", "Ɗanlami"),
        ("Nguyễn Thị Hương", "Nguyễn Thị Hương"),
        ("Щербаківна Їжак", "Щербаківна Їжак"),
        ("Ђорђе Љиљана", "Ђорђе Љиљана"),
        ("Ελένη Παπαδοπούλου", "Ελένη Παπαδοπούλου"),
        ("שרה כהן", "שרה כהן"),
        ("محمد ٣", "محمد ٣"),
        ("สมชาย", "สมชาย"),
        ("தமிழ்", "தமிழ்"),
        ("ნინო", "ნინო"),
        ("Արամ", "Արամ"),
        ("አበበ", "አበበ"),
    ],
)
def test_names_are_normalized(text: str, name: str) -> None:
    assert clean_name(text) == name


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "name_length"),
        ("A", "name_length"),
        ("A" * 25, "name_length"),
        ("Ada\u200bL", "name_characters"),  # zero width
        ("Ada\u202eL", "name_characters"),  # reverses the text direction
        ("Ada<b>", "name_characters"),
        ("ada@example.org", "name_characters"),
        ("Ada..L", "name_characters"),
        ("-Ada", "name_characters"),
        ("Ada-", "name_characters"),
        ("Ad\u0336\u0337\u0338a", "name_characters"),  # marks stacked on a letter
        ("🂡 Ada", "name_characters"),
        ("Аdа", "name_alphabets"),  # Cyrillic А and а around a Latin d
        ("Admin", "name_reserved"),
        ("a d m i n", "name_reserved"),
        ("Tal0n", "name_reserved"),
        ("Former player", "name_reserved"),
        ("Guest 455", "name_reserved"),
        ("Gast455", "name_reserved"),
        ("guest 101", "name_reserved"),
        ("455 Player", "name_reserved"),
        ("Players", "name_reserved"),
        ("Ghost", "name_reserved"),
        ("the_ghost.7", "name_reserved"),
        ("Talon Team455", "name_reserved"),
        ("Talon.Support", "name_reserved"),
        ("Off1cial Mods", "name_reserved"),
        ("Tal0n 24", "name_reserved"),
        ("You 2", "name_reserved"),
        # Invisible characters
        ("A\u3164da", "name_characters"),  # Hangul filler; NFKC makes another filler of it
        ("A\u115fda", "name_characters"),
        ("A\u1160da", "name_characters"),
        ("A\uffa0da", "name_characters"),
        ("\u3164\u3164", "name_characters"),
        ("Ada\ufe0f", "name_characters"),  # variation selectors
        ("Ada\U000e0101", "name_characters"),
        ("\u1820\u180b\u1820", "name_characters"),
        ("A\u034fda", "name_characters"),  # combining grapheme joiner
        ("A\u17b4da", "name_characters"),
        ("A\u00adda", "name_characters"),  # soft hyphen
        ("A\u200dda", "name_characters"),
        ("A\u2060da", "name_characters"),
        # Letters not used in names
        ("ǀila", "name_characters"),  # a click
        ("ɱary", "name_characters"),  # phonetic
        ("ᴀda", "name_characters"),  # small capitals
        ("Ada ɢʀᴀʏ", "name_characters"),
        ("ʀuth", "name_characters"),
        ("ꞎila", "name_characters"),
        ("Ꭺda", "name_characters"),  # Cherokee
        ("ꓮꓓꓮ", "name_characters"),  # Lisu
        ("ⲁⲇⲁ", "name_characters"),  # Coptic
        ("𐌰𐌳𐌰", "name_characters"),  # Gothic
        ("ᚨᛞᚨ", "name_characters"),  # runes
        ("ߊda", "name_characters"),  # N'Ko
        ("Ada\u0378", "name_characters"),  # unassigned
        # Scripts and digits that are not mixed
        ("Ada Шевченко", "name_alphabets"),
        ("Αda", "name_alphabets"),  # a Greek alpha
        ("Adа", "name_alphabets"),  # a Cyrillic a
        ("Ада Λ", "name_alphabets"),
        ("עAda", "name_alphabets"),
        ("Ada ไทย", "name_alphabets"),
        ("Иван 山田", "name_alphabets"),
        ("한국 あ", "name_alphabets"),
        ("Ada 1२", "name_characters"),
        ("Ada ٣", "name_alphabets"),
    ],
)
def test_invalid_names(text: str, code: str) -> None:
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
        ("Ada", "А\u0434\u0430".replace("\u0434", "d")),
        ("Ada", "A\u3164da"),
        ("Ada", "A\ufe0fda"),
        ("Lila", "ǀila"),
        ("Mara", "ɱara"),
        ("Mara", "rnara"),
        ("Ivvan", "Iwan"),
        ("Anna", "Аппа"),
        ("cop", "сор"),
        ("HOB", "НОВ"),
        ("Pаul", "Ρaul"),
        ("Søren", "Soren"),
        ("Ægir", "AEgir"),
        ("O'Hara", "OʼHara"),
        ("Bob", "ΒΟΒ"),
        ("Ilse", "1lse"),
        ("Ilse", "ӏlse"),
        ("Ada", "𝐀𝐝𝐚"),
        ("Ruth", "ʀuth"),
        ("HOPE455", "ΗΟΡΕ455"),  # Greek capitals, whose small letters look different
        ("hope455", "ΗΟΡΕ455"),
        ("nope", "ηορε"),
        ("KIM", "ΚΙΜ"),
        ("YANNIS", "ΥΑΝΝΙS"),
        ("Иван", "ИВАН"),
        ("Щербаківна", "ЩЕРБАКІВНА"),
        ("Արամ", "ԱՐԱՄ"),
    ],
)
def test_names_that_read_alike_have_one_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada", "Ida"),
        ("कि कि", "का का"),
        ("山田", "山口"),
        ("Bob", "Bobby"),
        ("Guðrún", "Gurun"),
        ("Clara", "Dara"),
        ("Иван", "Йоан"),
        ("Thor", "Þor"),
        ("нить", "вить"),
    ],
)
def test_names_that_differ_have_different_keys(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)


@pytest.mark.parametrize("name", ["Ghostly", "Meme", "Botond", "Teammate 7", "455", "Goalkeeper", "Modest"])
def test_a_name_may_contain_reserved_words(name: str) -> None:
    assert clean_name(name) == name


@pytest.mark.parametrize("name", ["Νίκος", "Μυρσίνη", "Ελένη Υψηλάντη", "Иван", "Ada", "Zoë"])
def test_a_name_matches_its_other_spellings(name: str) -> None:
    for spelling in (name.lower(), name.upper(), name.title()):
        assert name_key(name) in alike_keys(spelling)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("first", "second"),
    [("HOPE455", "ΗΟΡΕ455"), ("ΗΟΡΕ455", "Hope455"), ("Νίκος", "ΝΙΚΟΣ"), ("ΝΙΚΟΣ", "νίκος")],
)
def test_twins_in_another_alphabet_or_case_cannot_both_register(first: str, second: str) -> None:
    for name in (first, second):
        form = {"username": name, "password1": PASSWORD, "password2": PASSWORD}
        Client().post("/accounts/signup/", form)
    other = User.objects.create_user("Somebody else", password=PASSWORD)
    with pytest.raises(ValidationError):
        rename_player(other, second)
    assert set(User.objects.values_list("username", flat=True)) == {first, "Somebody else"}


@pytest.mark.django_db
@pytest.mark.parametrize("typed", ["Νίκος", "νίκος", "ΝΙΚΟΣ", "νικος"])
def test_a_greek_name_is_found_in_any_case(typed: str) -> None:
    user = User.objects.create_user("Νίκος", password=PASSWORD)
    client = Client()
    client.post("/accounts/login/", {"login": typed, "password": PASSWORD})
    assert client.session["_auth_user_id"] == str(user.pk)
    assert find_by_name(typed) == user.pk
    assert find_players(typed[:3]) == [user]


@pytest.mark.django_db
def test_existing_twins_keep_their_accounts() -> None:
    """Their keys differed before keys considered capitals."""
    made = [
        User.objects.create_user(name, password=PASSWORD, name_key=key)
        for name, key in (("HOPE455", "hope4ss"), ("ΗΟΡΕ455", "nope4ss"), ("Νίκος", "vlkoo"))
    ]
    import_module("accounts.migrations.0002_name_keys_as_written").fold_again(apps, None)
    keys = [User.objects.get(pk=user.pk).name_key for user in made]
    assert keys == ["hope4ss", f"hope4ss~{made[1].pk}", "nlkoo"]
    for user in made:
        client = Client()
        client.post("/accounts/login/", {"login": user.username, "password": PASSWORD})
        assert client.session["_auth_user_id"] == str(user.pk)


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


def test_the_standards_data_has_one_prototype_for_each() -> None:
    prototypes = confusables._prototypes()
    assert len(prototypes) > 5000
    assert not set(prototypes) & set(string.printable)
    assert prototypes["\u0430"] == "a"
    assert prototypes["\u0271"].startswith("rn")


def test_keys_fit_into_their_column() -> None:
    fit = [c for c in confusables._prototypes() if unicodedata.is_normalized("NFKC", c) and confusables.is_fit(c)]
    longest = max(fit, key=lambda c: len(name_key(c)))
    assert len(name_key(longest)) * LONGEST <= LONGEST_KEY == User._meta.get_field("name_key").max_length


@pytest.mark.django_db
def test_existing_names_keep_their_owners() -> None:
    """The names had different keys when they were registered, and have the same one now."""
    migration = import_module("accounts.migrations.0002_name_keys_as_written")
    old = [("Søren", "søren"), ("Soren", "soren"), ("S\u00f6ren", "soren~"), ("\u3164\u3164", "\u3164"), ("Ada", "ada")]
    made = [User.objects.create_user(name, password=PASSWORD, name_key=key) for name, key in old]
    User.objects.create_user("guest-1", is_guest=True)
    migration.fold_again(apps, None)
    keys = dict(User.objects.values_list("pk", "name_key"))
    first, second, third, blank, ada = (user.pk for user in made)
    assert keys.pop(max(keys)) is None  # the guest's
    assert keys == {first: "soren", second: f"soren~{second}", third: f"soren~{third}", blank: f"~{blank}", ada: "ada"}
    migration.fold_again(apps, None)
    assert dict(User.objects.filter(is_guest=False).values_list("pk", "name_key")) == keys
    for typed, user in [(user.username, user) for user in made[:3] + made[4:]] + [("SOREN", made[0])]:
        client = Client()
        client.post("/accounts/login/", {"login": typed, "password": PASSWORD})
        assert client.session["_auth_user_id"] == str(user.pk)


def test_guests_get_friendly_names() -> None:
    first, second, number = guest_name().split()
    assert first.istitle()
    assert second.istitle()
    assert number.isdigit()
