"""Translation catalogues are complete: every text translated, with its placeholders, and compiled.

`make messages` updates them; new texts then need translating (docs/translations.md).
"""

from __future__ import annotations

import gettext
import io
import re
from pathlib import Path

import allauth
import pytest
from babel.messages.catalog import Message
from django.conf import settings
from django.utils import translation

from frontend import messages
from games.live.protocol import CODES

LANGUAGES = [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
DOMAINS = ("django", "djangojs")
PLACES = re.compile(r"%\(\w+\)[sd]|%%|(?<!%)\{\w+\}|</?\w+>")
NAMES = re.compile(r'fill="currentColor">([^<]+[a-z])</text>')
FORMAL = re.compile(r"\b(?:Sie|Ihr|Ihre[mnrs]?|Ihnen)\b")
#: Texts may equal the English if they are names or words shared by the languages.
MOST_WORDS_ALIKE = 2

whole = pytest.mark.parametrize("domain", DOMAINS)
spoken = pytest.mark.parametrize("language", LANGUAGES)


def forms(text: object) -> list[str]:
    return [str(one) for one in text] if isinstance(text, (list, tuple)) else [str(text)]


def places(text: str) -> set[str]:
    return set(PLACES.findall(text))


def test_each_language_has_its_catalogues() -> None:
    assert {language.lower().replace("_", "-") for language in messages.languages()} == set(LANGUAGES)


@whole
@spoken
def test_catalogues_have_exactly_the_texts_in_use(language: str, domain: str) -> None:
    found = messages.read_catalogue(messages.po_path(language, domain))
    wanted = {(one.id, one.context) for one in messages.texts_of(messages.domains()[domain])}
    there = {(one.id, one.context) for one in messages.texts_of(found)}
    assert wanted - there == set(), "run make messages and translate"
    assert there - wanted - messages.borrowed_ids() == set(), "run make messages"
    assert not found.obsolete


@whole
@spoken
def test_every_text_is_translated(language: str, domain: str) -> None:
    found = list(messages.texts_of(messages.read_catalogue(messages.po_path(language, domain))))
    assert [one.id for one in found if not messages.is_translated(one)] == []
    assert [one.id for one in found if one.fuzzy] == []
    same = [one.id for one in found if set(forms(one.id)) & set(forms(one.string))]
    assert [text for text in same if len(str(text).split()) > MOST_WORDS_ALIKE] == []


@whole
@spoken
def test_placeholders_survive_translation(language: str, domain: str) -> None:
    assert [one.id for one in texts(language, domain) if not same_places(one)] == []


def texts(language: str, domain: str) -> list[Message]:
    return list(messages.texts_of(messages.read_catalogue(messages.po_path(language, domain))))


def same_places(message: Message) -> bool:
    given, made = forms(message.id), forms(message.string)
    if len(given) == 1:
        return sorted(PLACES.findall(given[0])) == sorted(PLACES.findall(made[0]))
    # The singular may leave out the number; the last form is the plural.
    known = places(given[0]) | places(given[1])
    return places(made[-1]) == places(given[1]) and all(places(form) <= known for form in made)


@spoken
def test_djangos_compiled_catalogue_is_current(language: str) -> None:
    path = messages.po_path(language, "django")
    compiled = messages.compiled(messages.read_catalogue(path))
    assert read(path.with_suffix(".mo").read_bytes()) == read(compiled), "run make messages"


def read(compiled: bytes) -> dict[object, str]:
    found: dict[object, str] = gettext.GNUTranslations(io.BytesIO(compiled))._catalog  # type: ignore[attr-defined]
    return {key: text for key, text in found.items() if key != ""}


@spoken
def test_the_clients_compiled_catalogue_is_current(language: str) -> None:
    catalogue = messages.read_catalogue(messages.po_path(language, "djangojs"))
    assert messages.client_path(language).read_text() == messages.client_script(catalogue), "run make messages"


@spoken
def test_cards_have_their_names(language: str) -> None:
    catalogue = messages.read_catalogue(messages.po_path(language, "djangojs"))
    drawn = messages.tarot_path(language).read_text()
    assert drawn == messages.named_cards(catalogue), "run make messages"
    assert not set(NAMES.findall(drawn)) & set(NAMES.findall(messages.tarot_path().read_text()))


def test_every_server_code_has_a_client_text() -> None:
    refusals, reasons = (
        (messages.SCRIPTS / "table" / "hud" / name).read_text() for name in ("error-texts.js", "verdict-reasons.js")
    )
    assert {str(code) for code in CODES} <= set(re.findall(r"^ {4}(\w+): t\(", refusals, re.MULTILINE))
    judging = [path for part in ("games", "leaderboards") for path in Path(settings.BASE_DIR, part).rglob("*.py")]
    codes = {code for path in judging for code in re.findall(r"\breason\(\s*\"(\w+)\"", path.read_text())}
    assert len(codes) > 10
    assert codes <= set(re.findall(r"^ {4}(\w+): t\(", reasons, re.MULTILINE))


@whole
def test_german_says_du(domain: str) -> None:
    assert [one.id for one in texts("de", domain) if any(FORMAL.search(form) for form in forms(one.string))] == []


def test_german_says_du_on_pages_of_packages_too() -> None:
    """Our catalogue overrides the texts of packages that use Sie."""
    path = Path(allauth.__file__).parent / "locale" / "de" / "LC_MESSAGES" / "django.po"
    shown = re.compile(r"(?:templates/)?(?:account|mfa|usersessions|allauth)/")
    with translation.override("de"):
        said = {
            text: translation.gettext(text)
            for message in messages.texts_of(messages.read_catalogue(path))
            if any(shown.match(place) for place, _ in message.locations)
            for text in forms(message.id)[:1]
        }
    assert len(said) > 100
    assert {text: german for text, german in said.items() if FORMAL.search(german)} == {}
