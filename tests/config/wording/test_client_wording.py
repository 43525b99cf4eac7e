"""Translatable client texts: no literal that reads like English is outside `t`.

A literal counts as text if it is passed to something that is displayed or read out, or has two words in a row.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings

from tests.config.wording.scripts import Part, calls, parts
from tests.config.wording.test_catalogues import catalogue, po_path

SCRIPTS = Path(settings.BASE_DIR, "frontend", "static", "js")
MODULES = list(SCRIPTS.rglob("*.js"))
LOOKS_UP = {"t", "tn", "tc", "marked"}
#: Places where a literal is displayed: assigned, as a property of an object, or passed to a function.
SHOWN = {"textContent", "innerText", "innerHTML", "ariaLabel", "title", "alt", "placeholder", "label"}
SAYS = {"say", "notice", "alert", "confirm", "append", "prepend", "fact", "figure"}
#: Functions that make an element; their second argument is its class.
MAKES = {"part", "link", "button"}
#: Characters of style sheets, selectors and drawings.
MACHINE = re.compile(r"[{}()<>;=#\[\]]|^\.|\b(?:px|deg)\b")
WORDS = re.compile(r"[A-Za-z]{2,}[,.:]? [A-Za-z]{2,}")


def unlooked_up(source: str) -> list[str]:
    found: list[str] = []
    before: list[Part] = [Part("sign", ";", 0)] * 4
    around: list[str] = []  # functions whose parentheses are open, empty for other brackets
    commas: list[int] = []  # number of arguments so far
    for part in parts(source):
        is_class = bool(around) and around[-1] in MAKES and commas[-1] == 1
        if part.kind in {"string", "words"} and not LOOKS_UP & set(around) and not is_class:
            found += [part.text] if is_text(part, before, around) else []
        if part.kind == "sign" and part.text in {"(", "[", "{", "${"}:
            called = before[-1]
            around.append(called.text if part.text == "(" and called.kind == "name" else "")
            commas.append(0)
        elif part.kind == "sign" and part.text in {")", "]", "}"} and around:
            around.pop()
            commas.pop()
        elif part.kind == "sign" and part.text == "," and commas:
            commas[-1] += 1
        before.append(part)
    return found


def is_text(part: Part, before: list[Part], around: list[str]) -> bool:
    if not re.search(r"[A-Za-z]{2}", part.text):
        return False
    *_, second, first = [one for one in before if one.text != "`"][-2:]
    given = second.text in SHOWN and first.text in {"=", ":"}
    said = first.text == "(" and bool(around) and around[-1] in SAYS
    named = first.text == "," and second.text.startswith("aria-label")
    near = [one.text for one in before[-14:]]
    if "className" in near[len(near) - near[::-1].index(";") if ";" in near else 0 :] or near[-3:] == ["="] * 3:
        return False  # classes are not displayed, nor are compared values
    return given or said or named or (bool(WORDS.search(part.text)) and not MACHINE.search(part.text))


def test_no_text_is_outside_the_catalogue() -> None:
    assert {str(path): found for path in MODULES if (found := unlooked_up(path.read_text()))} == {}


@pytest.mark.parametrize(
    "source",
    [
        'x.textContent = "Over";',
        "node.title = `Over ${n}`;",
        'x.setAttribute("aria-label", "Over");',
        "say(`Rank ${rank}`);",
        'Object.assign(e, { textContent: "Over" })',
        'const message = "You have won.";',
        "const message = `${t('a')}: you ${b ? `have won` : 1}`;",
        'part("li", "seat free", "You have won");',
    ],
)
def test_an_untranslated_text_is_found(source: str) -> None:
    assert unlooked_up(source)


@pytest.mark.parametrize(
    "source",
    [
        'x.textContent = t("Over");',
        'say(`${t("Rank {n}", { n })}: ${n}`);',
        'import "./a b.js";',
        'part("li", "seat free", link(`/a/${b}`, c ? "button small" : "wide button", t("Over")));',
    ],
)
def test_a_translated_text_is_not_reported(source: str) -> None:
    assert unlooked_up(source) == []


def test_every_lookup_uses_a_literal() -> None:
    """Catalogues are made from literals, so a text that is built first would never be found."""
    wanted = catalogue(po_path("de", "djangojs"))
    looked_up = [
        (f"{path.name}:{line}", name, arguments)
        for path in MODULES
        if path.name != "i18n.js"
        for line, name, arguments in calls(path.read_text(), LOOKS_UP)
        if name != "tc" or len(arguments) != 1  # tc(...TABLE[key]), whose table is marked
    ]
    for place, name, arguments in looked_up:
        texts = arguments[:1] if name == "t" else arguments[:2]
        assert None not in texts, place
        context, text = texts if name in {"tc", "marked"} else (None, texts[0])
        assert text is not None
        assert wanted.get(text, context) is not None, place
