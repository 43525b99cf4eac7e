"""Minimal tokenizer of the client's modules: literals, names and signs, including template strings."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

_PARTS: Final = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<name>[A-Za-z_$#][\w$]*)
    |(?P<number>\d[\w.]*)
    |(?P<sign>.)""",
    re.DOTALL | re.VERBOSE,
)
_REGEX: Final = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
_WORDS: Final = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))+", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(?:u\{?([0-9a-fA-F]{4,6})\}?|(.))", re.DOTALL)
_LETTERS: Final = {"n": "\n", "t": "\t"}


class Part(NamedTuple):
    """A token; strings and parts of template strings come without quotes and escapes."""

    kind: str
    text: str
    line: int


def parts(source: str) -> Iterator[Part]:
    """Yield the tokens of a module in order, without whitespace and comments."""
    at, line = 0, 1
    templates: list[int] = []  # open braces in the `${` of each enclosing template string
    before = Part("sign", ";", 0)
    while at < len(source):
        kind, text, at = _next(source, at, templates, before)
        if kind != "space":
            before = Part(kind, _unescaped(text) if kind in {"string", "words"} else text, line)
            yield before
        line += text.count("\n")


def calls(source: str, functions: Collection[str]) -> Iterator[tuple[int, str, list[str | None]]]:
    """Yield calls of these functions: line, name, and arguments, None for one that is no plain string."""
    found = list(parts(source))
    for k, part in enumerate(found[:-1]):
        if part.kind == "name" and part.text in functions and found[k + 1].text == "(" and found[k - 1].text != ".":
            yield part.line, part.text, _arguments(found[k + 2 :])


def _next(source: str, at: int, templates: list[int], before: Part) -> tuple[str, str, int]:
    if templates and templates[-1] == 0:  # in the text of a template string
        if source[at] == "`":
            templates.pop()
            return "sign", "`", at + 1
        if source.startswith("${", at):
            templates[-1] = 1
            return "sign", "${", at + 2
        words = _WORDS.match(source, at)
        assert words is not None
        return "words", words[0], words.end()
    regex = _REGEX.match(source, at) if _may_begin_regex(before) else None
    if regex is not None and not source.startswith(("//", "/*"), at):
        return "regex", regex[0], regex.end()
    match = _PARTS.match(source, at)
    assert match is not None
    if match[0] == "`":
        templates.append(0)
    elif templates and match[0] in {"{", "}"}:
        templates[-1] += 1 if match[0] == "{" else -1
    return str(match.lastgroup), match[0], match.end()


def _may_begin_regex(before: Part) -> bool:
    """Return whether a slash here begins a regular expression; after a value it is a division."""
    return (before.kind == "sign" and before.text not in {")", "]", "}"}) or before.text in {"return", "typeof"}


def _arguments(found: Sequence[Part]) -> list[str | None]:
    arguments: list[list[Part]] = [[]]
    depth = 0
    for part in found:
        opens = part.kind == "sign" and part.text in {"(", "[", "{", "${"}
        closes = part.kind == "sign" and part.text in {")", "]", "}"}
        if closes and depth == 0:
            break
        depth += opens - closes
        if depth == 0 and part.text == "," and part.kind == "sign":
            arguments.append([])
        else:
            arguments[-1].append(part)
    return [one[0].text if len(one) == 1 and one[0].kind == "string" else None for one in arguments]


def _unescaped(text: str) -> str:
    bare = text[1:-1] if text[0] in "\"'" else text
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else _LETTERS.get(found[2], found[2]), bare)
