"""Generated static files: the cards, and each language's client catalogue and cards with the trumps' names."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from django.conf import settings
from django.contrib.staticfiles.finders import BaseStorageFinder
from django.core.files.storage import FileSystemStorage
from django.utils.formats import get_format
from django.utils.translation.trans_real import DjangoTranslation
from django.views.i18n import JavaScriptCatalog

from frontend.artwork import cards
from frontend.artwork.trumps import TRUMPS

FOLDER: Final = settings.VAR_DIR / "generated"


class GeneratedFiles(BaseStorageFinder):
    """Finder of these files, which a process writes when it first looks for static files."""

    def __init__(self) -> None:
        for name, text in contents():
            path, draft = FOLDER / name, Path(f"{FOLDER}.{os.getpid()}")
            path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_text(text)
            draft.replace(path)  # in one step, as another process may be reading it
        super().__init__(FileSystemStorage(FOLDER))


def contents() -> Iterator[tuple[str, str]]:
    """Yield name and text of each file."""
    yield "cards/french.svg", cards.french_deck()
    yield "cards/tarot.svg", cards.tarot_deck()
    for name in cards.BACKS:
        yield f"cards/back-{name}.svg", cards.back(name)
    for language, _ in settings.LANGUAGES:
        if language != settings.LANGUAGE_CODE:
            catalogue = JavaScriptCatalog()
            catalogue.translation = DjangoTranslation(language, "djangojs", [*map(str, settings.LOCALE_PATHS)])
            yield f"js/catalogue/{language}.js", client_script(catalogue, language)
            yield f"cards/tarot.{language}.svg", cards.tarot_deck(trump_names(catalogue))


def client_script(catalogue: JavaScriptCatalog, language: str) -> str:
    """Return a script that only sets a variable, since pages load it before their modules."""
    point, texts = (
        json.dumps(value, ensure_ascii=False, sort_keys=True)
        for value in (get_format("DECIMAL_SEPARATOR", lang=language), catalogue.get_catalog())
    )
    # Plural-Forms is a C expression that is also valid JavaScript.
    plural = f"(n) => Number({catalogue.get_plural()})"
    return f"globalThis.talonCatalogue = {{ plural: {plural}, point: {point}, texts: {texts} }};\n"


def trump_names(catalogue: JavaScriptCatalog) -> dict[str, str]:
    """Return the translated names of the trumps, by their English ones."""
    texts = {key.lower(): str(text) for key, text in catalogue.get_catalog().items()}
    names = {}
    for english, _ in TRUMPS.values():
        # The client writes "the Fool" in its sentences, where the card says "The Fool".
        bare = english.lower().removeprefix("the ")
        name = texts.get(f"tarot\x04the {bare}") or texts.get(f"tarot\x04{bare}", english)
        names[english] = name[:1].upper() + name[1:]
    return names
