"""Translation catalogues are complete: every text translated, with its placeholders, and compiled.

`make messages` updates them; new texts then need translating (docs/translations.md).
"""

from __future__ import annotations

import gettext
import io
import json
import re
import subprocess
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from django.conf import settings
from django.contrib.staticfiles import finders
from django.utils import translation

from frontend import messages
from games.live.protocol import CODES

LANGUAGES = [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
PATHS = {
    "django": f"{messages.LOCALE}/{{}}/LC_MESSAGES/django.po",
    "djangojs": f"{messages.LOCALE}/{{}}/LC_MESSAGES/djangojs.po",
    "packages": f"{messages.PACKAGES}/{{}}/LC_MESSAGES/django.po",
}
PLACES = re.compile(r"%\(\w+\)[sd]|%%|(?<!%)\{\w+\}|</?\w+>")
NAMES = re.compile(r'fill="currentColor">([^<]+[a-z])</text>')
FORMAL = re.compile(r"\b(?:Sie|Ihr|Ihre[mnrs]?|Ihnen)\b")
#: Packages whose texts the site may reword.
BORROWED = ("allauth", "django.conf", "django.contrib.auth")
#: Prints a client's catalogue.
PRINT = "console.log(JSON.stringify({ texts, plurals: [0, 1, 2].map(plural) }))"
#: Texts may equal the English if they are names or words shared by the languages.
MOST_WORDS_ALIKE = 2

whole = pytest.mark.parametrize("domain", PATHS)
spoken = pytest.mark.parametrize("language", LANGUAGES)


def forms(text: object) -> list[str]:
    return [str(one) for one in text] if isinstance(text, (list, tuple)) else [str(text)]


def places(text: str) -> set[str]:
    return set(PLACES.findall(text))


@cache
def catalogue(path: Path) -> Catalog:
    with path.open("rb") as source:
        return read_po(source, locale="de")


def po_path(language: str, domain: str) -> Path:
    return messages.ROOT / PATHS[domain].format(language)


def texts(language: str, domain: str) -> list[Message]:
    return texts_of(catalogue(po_path(language, domain)))


def texts_of(found: Catalog) -> list[Message]:
    return [message for message in found if message.id]


def ids(found: Catalog) -> set[tuple[object, str | None]]:
    return {(message.id, message.context) for message in texts_of(found)}


def test_each_language_has_its_catalogues() -> None:
    found = (path.name for path in (messages.ROOT / messages.LOCALE).iterdir())
    assert {language.lower().replace("_", "-") for language in found} == set(LANGUAGES)


@pytest.mark.parametrize("domain", messages.DOMAINS)
def test_catalogues_have_exactly_the_texts_in_use(domain: str, tmp_path: Path) -> None:
    messages.extract(domain, tmp_path / "template.pot")
    wanted = ids(catalogue(tmp_path / "template.pot"))
    for language in LANGUAGES:
        found = catalogue(po_path(language, domain))
        assert wanted - ids(found) == set(), "run make messages and translate"
        assert ids(found) - wanted == set(), "run make messages"
        assert not found.obsolete


@pytest.mark.parametrize("language", ["en", *LANGUAGES])
def test_reworded_texts_are_those_of_packages(language: str) -> None:
    theirs = (files(package).joinpath("locale", "en", "LC_MESSAGES", "django.po") for package in BORROWED)
    assert ids(catalogue(po_path(language, "packages"))) <= set().union(
        *(ids(catalogue(Path(str(path)))) for path in theirs)
    )


@whole
@spoken
def test_every_text_is_translated(language: str, domain: str) -> None:
    found = texts(language, domain)
    assert [one.id for one in found if not all(forms(one.string))] == []
    assert [one.id for one in found if one.fuzzy] == []
    same = [one.id for one in found if set(forms(one.id)) & set(forms(one.string))]
    assert [text for text in same if len(forms(text)[0].split()) > MOST_WORDS_ALIKE] == []


@whole
@spoken
def test_placeholders_survive_translation(language: str, domain: str) -> None:
    assert [one.id for one in texts(language, domain) if not same_places(one)] == []


def same_places(message: Message) -> bool:
    given, made = forms(message.id), forms(message.string)
    if len(given) == 1:
        return sorted(PLACES.findall(given[0])) == sorted(PLACES.findall(made[0]))
    # The singular may leave out the number; the last form is the plural.
    known = places(given[0]) | places(given[1])
    return places(made[-1]) == places(given[1]) and all(places(form) <= known for form in made)


@pytest.mark.parametrize(
    ("language", "domain"), [("en", "packages"), *((one, domain) for one in LANGUAGES for domain in PATHS)]
)
def test_compiled_catalogues_are_current(language: str, domain: str) -> None:
    path, compiled = po_path(language, domain), io.BytesIO()
    write_mo(compiled, catalogue(path))
    assert read(path.with_suffix(".mo").read_bytes()) == read(compiled.getvalue()), "run make messages"


def read(compiled: bytes) -> dict[object, str]:
    found: dict[object, str] = gettext.GNUTranslations(io.BytesIO(compiled))._catalog  # type: ignore[attr-defined]
    return {key: text for key, text in found.items() if key != ""}


@pytest.mark.needs("node")
@spoken
def test_the_client_gets_its_texts(language: str) -> None:
    script = finders.find(f"js/catalogue/{language}.js")
    program = f"require('{script}'); const {{ texts, plural }} = talonCatalogue; " + PRINT
    shown = json.loads(subprocess.run(["node", "-e", program], check=True, capture_output=True).stdout)
    wanted = {
        f"{one.context}\x04{forms(one.id)[0]}" if one.context else forms(one.id)[0]: one.string
        for one in texts(language, "djangojs")
    }
    assert shown["texts"] == {key: list(text) if isinstance(text, tuple) else text for key, text in wanted.items()}
    rule = gettext.c2py(catalogue(po_path(language, "djangojs")).plural_expr)
    assert shown["plurals"] == [rule(n) for n in range(3)]


@spoken
def test_cards_have_their_names(language: str) -> None:
    drawn, english = (Path(str(finders.find(f"cards/tarot{infix}.svg"))).read_text() for infix in (f".{language}", ""))
    assert len(NAMES.findall(drawn)) == len(NAMES.findall(english)) > 20
    assert not set(NAMES.findall(drawn)) & set(NAMES.findall(english))


def test_every_server_code_has_a_client_text() -> None:
    refusals, reasons = (
        (messages.ROOT / "frontend" / "static" / "js" / "table" / "hud" / name).read_text()
        for name in ("refusal-texts.js", "verdict-reasons.js")
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
    path = Path(str(files("allauth").joinpath("locale", "de", "LC_MESSAGES", "django.po")))
    shown = re.compile(r"(?:templates/)?(?:account|mfa|usersessions|allauth)/")
    with translation.override("de"):
        said = {
            text: translation.gettext(text)
            for message in texts_of(catalogue(path))
            if any(shown.match(place) for place, _ in message.locations)
            for text in forms(message.id)[:1]
        }
    assert len(said) > 100
    assert {text: german for text, german in said.items() if FORMAL.search(german)} == {}
