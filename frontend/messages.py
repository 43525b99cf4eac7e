"""Translation catalogues of the site's texts: ``make messages``, or ``python -m frontend.messages [new language]``.

Every language has two files in ``frontend/locale``, the only source of its texts: ``django.po`` for the server and
``djangojs.po`` for the client. The files generated from them are committed as well: the compiled ``django.mo``, the
client's ``frontend/static/js/catalogue/<language>.js``, and the cards with the trumps' names,
``frontend/static/cards/tarot.<language>.svg``. English texts are in the code itself. docs/translations.md explains the
workflow.
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from babel.numbers import get_decimal_symbol
from django.utils.translation.template import templatize

from frontend.artwork.cards import measure

ROOT: Final = Path(__file__).resolve().parent.parent
LOCALE: Final = ROOT / "frontend" / "locale"
SCRIPTS: Final = ROOT / "frontend" / "static" / "js"
CARDS: Final = ROOT / "frontend" / "static" / "cards"
PYTHON: Final = ("accounts", "config", "games", "leaderboards")
#: Installed packages whose texts a catalogue may override, with an entry added manually.
BORROWED: Final = ("allauth", "django.conf")

Keywords = dict[str, Any]
_SERVER: Final[Keywords] = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
}
#: The functions of i18n.js.
_CLIENT: Final[Keywords] = {"t": None, "tn": (1, 2), "tc": ((1, "c"), 2), "marked": ((1, "c"), 2)}
_COMMENTS: Final = ("Translators:",)
_READING: Final = {"encoding": "utf-8", "parse_template_string": "true"}
_CLIENT_OUT: Final = SCRIPTS / "catalogue"
#: The name on a trump, with the size attributes before it.
_NAMED: Final = re.compile(
    r'font-size="[\d.]+"(?: textLength="\d+" lengthAdjust="\w+")? (fill="currentColor">)([^<]+)</text>'
)
#: Plural-Forms is a C expression that is also valid JavaScript.
_PLURAL: Final = re.compile(r"[n0-9\s()?:<>=!&|%]+")


@cache
def domains() -> dict[str, Catalog]:
    """Return the texts to translate, by domain (file name)."""
    return {"django": _server_texts(), "djangojs": _client_texts()}


def languages() -> list[str]:
    """Return the languages that have catalogues."""
    return sorted(path.name for path in LOCALE.iterdir() if path.is_dir())


def po_path(language: str, domain: str) -> Path:
    """Return the path of a catalogue."""
    return LOCALE / language / "LC_MESSAGES" / f"{domain}.po"


def read_catalogue(path: Path) -> Catalog:
    """Return the catalogue in a file."""
    with path.open("rb") as source:
        return read_po(source, locale=path.parent.parent.name)


def compiled(catalogue: Catalog) -> bytes:
    """Return the compiled catalogue that Django reads."""
    out = io.BytesIO()
    write_mo(out, catalogue)
    return out.getvalue()


def client_script(catalogue: Catalog) -> str:
    """Return the client's catalogue: a script that only sets a variable, since pages load it before their modules."""
    if not _PLURAL.fullmatch(catalogue.plural_expr):
        raise ValueError(f"this is no plural expression: {catalogue.plural_expr}")
    texts = {
        _key(message): message.string for message in texts_of(catalogue) if is_translated(message) and not message.fuzzy
    }
    return (
        f"// Made from frontend/locale/{catalogue.locale_identifier}/LC_MESSAGES/djangojs.po: make messages\n"
        f"globalThis.talonCatalogue = {{\n  plural: (/** @type {{number}} */ n) => Number({catalogue.plural_expr}),\n"
        f"  point: {json.dumps(get_decimal_symbol(catalogue.locale))},\n"
        f"  texts: {json.dumps(texts, ensure_ascii=False, indent=1, sort_keys=True)},\n}};\n"
    )


def client_path(language: str) -> Path:
    """Return the path of the client's catalogue."""
    return _CLIENT_OUT / f"{language.lower().replace('_', '-')}.js"


def texts_of(catalogue: Catalog) -> Iterator[Message]:
    """Return the messages without the header."""
    return (message for message in catalogue if message.id)


def is_translated(message: Message) -> bool:
    """Return True if every form of a text is translated."""
    return all(message.string) if isinstance(message.string, (list, tuple)) else bool(message.string)


def tarot_path(language: str = "") -> Path:
    """Return the path of the tarot cards in a language; without one, the English cards as drawn."""
    return CARDS / f"tarot{language and '.'}{language.lower().replace('_', '-')}.svg"


def named_cards(catalogue: Catalog) -> str:
    """Return the tarot cards with their trumps named in the catalogue's language."""
    names = {_bare(message.id): str(message.string) for message in texts_of(catalogue) if message.context == "tarot"}

    def named(match: re.Match[str]) -> str:
        name = names.get(_bare(match[2])) or match[2]
        return f"{measure(name)} {match[1]}{name[:1].upper()}{name[1:]}</text>"

    return _NAMED.sub(named, tarot_path().read_text())


def updated_catalogue(current: Catalog, extracted: Catalog) -> Catalog:
    """Return the catalogue with the site's current texts. New texts are empty, or fuzzy guesses.

    Entries that override a package's text are kept.
    """
    borrowed = borrowed_ids()
    for message in texts_of(current):
        if extracted.get(message.id, message.context) is None and (message.id, message.context) in borrowed:
            extracted.add(message.id, context=message.context, auto_comments=["Worded anew; the text is a package's."])
    current.update(extracted, update_creation_date=False)
    current.obsolete.clear()
    return current


def write_catalogue(path: Path, catalogue: Catalog) -> None:
    """Write a catalogue deterministically: equal texts make equal files."""
    path.parent.mkdir(parents=True, exist_ok=True)
    catalogue.header_comment = f"# Texts of Talon in {catalogue.locale}; docs/translations.md says how they are kept."
    catalogue.msgid_bugs_address = catalogue.last_translator = catalogue.language_team = ""
    with path.open("wb") as out:
        write_po(out, catalogue, width=120, sort_by_file=True, include_lineno=False)


def main(arguments: list[str]) -> None:
    """Update every catalogue from the code and compile it. Create catalogues for the languages named."""
    for language in sorted({*languages(), *arguments}):
        for domain, extracted in domains().items():
            path = po_path(language, domain)
            current = read_catalogue(path) if path.exists() else Catalog(language, project="Talon", fuzzy=False)
            catalogue = updated_catalogue(current, extracted)
            write_catalogue(path, catalogue)
            if domain == "django":
                path.with_suffix(".mo").write_bytes(compiled(catalogue))
            else:
                client_path(language).parent.mkdir(exist_ok=True)
                client_path(language).write_text(client_script(catalogue))
                tarot_path(language).write_text(named_cards(catalogue))
            open_ones = sum(message.fuzzy or not is_translated(message) for message in texts_of(catalogue))
            print(f"{path.relative_to(ROOT)}: {len(catalogue)} texts, {open_ones} to translate")  # noqa: T201


def _server_texts() -> Catalog:
    catalogue = Catalog()
    for part in PYTHON:
        for path in sorted((ROOT / part).rglob("*.py")):
            if "migrations" not in path.parts:
                _gather(catalogue, path, "python", path.read_bytes(), _SERVER)
    for path in sorted((ROOT / "frontend" / "templates").rglob("*")):
        if path.is_file():
            _gather(catalogue, path, "python", _template_calls(path.read_text()), _SERVER)
    return catalogue


def _client_texts() -> Catalog:
    catalogue = Catalog()
    for path in sorted(SCRIPTS.rglob("*.js")):
        if _CLIENT_OUT not in path.parents and path.name != "i18n.js":
            _gather(catalogue, path, "javascript", path.read_bytes(), _CLIENT)
    return catalogue


def _template_calls(text: str) -> bytes:
    """Return a template as gettext calls for Python's tokenizer, without its indentation."""
    return "\n".join(line.strip() for line in templatize(text).splitlines()).encode()


def _gather(catalogue: Catalog, path: Path, method: str, source: bytes, keywords: Keywords) -> None:
    place = str(path.relative_to(ROOT))
    found: Iterable[Any] = extract(method, io.BytesIO(source), keywords, _COMMENTS, _READING)
    for _line, text, comments, context in found:
        catalogue.add(text, locations=[(place, 0)], auto_comments=comments, context=context)


def borrowed_ids() -> set[tuple[Any, str | None]]:
    """Return the texts, with their contexts, of the packages whose texts a catalogue may override."""
    ids = set()
    for package in BORROWED:
        path = files(package).joinpath("locale", "en", "LC_MESSAGES", "django.po")
        with path.open("rb") as source:
            ids |= {(message.id, message.context) for message in texts_of(read_po(source))}
    return ids


def _bare(name: Any) -> str:  # noqa: ANN401 - a message's id
    """Normalize a trump's name: catalogue and card differ in case and in "the"."""
    return str(name).lower().removeprefix("the ")


def _key(message: Message) -> str:
    text = message.id if isinstance(message.id, str) else message.id[0]
    return f"{message.context}\u0004{text}" if message.context else text


if __name__ == "__main__":
    main(sys.argv[1:])
