"""Joins a client file with everything it imports, so that a production page loads it in one request.

The sources run in browsers as they are. Only the syntax that the client uses is understood, and anything else is
refused: the joined file is right, or there is none.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

#: Returns the text of a file, by its path below the static root.
Read = Callable[[str], str]

_IMPORT: Final = re.compile(r'^import (?:\{([^}]*)\} from )?"(\.{1,2}/[^"]+)";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:(?:async )?function|class|const) (\w+))", re.MULTILINE)
#: A comment on lines of its own; within a line it might be part of a string.
_COMMENT: Final = re.compile(r"^[ \t]*(?:/\*(?:(?!\*/).)*\*/[ \t]*|//[^\n]*)\n", re.MULTILINE | re.DOTALL)
_NOT_UNDERSTOOD: Final = re.compile(r"^(?:import|export|await)\b.*|\bimport\s*[(.].*", re.MULTILINE)
_STYLE_IMPORT: Final = re.compile(r'^@import "([^":]+)";\n', re.MULTILINE)
_STYLE_NOT_UNDERSTOOD: Final = re.compile(r"@(?:import|charset|namespace)\b.*", re.IGNORECASE)


class JoinError(ValueError):
    """A file cannot be joined: it uses unknown syntax or imports something that does not exist."""


@dataclass
class _Module:
    """One module, as an expression that gives its exports."""

    name: str
    imports: list[tuple[str, str]] = field(default_factory=list)
    """The names between the braces, and the module they come from."""
    exports: list[str] = field(default_factory=list)
    body: str = ""


def join_modules(entry: str, read: Read) -> str:
    """One module that does what `entry` does: each module it needs becomes a function, imported ones first.

    :raises JoinError: for unknown syntax, circular imports, or an import that the other module does not export.
    """
    modules: dict[str, _Module] = {}
    _reach(entry, read, modules, ())
    places = {name: f"$module{place}" for place, name in enumerate(modules)}
    return "".join(_written(module, modules, places) for module in modules.values())


def join_styles(entry: str, read: Read) -> str:
    """One style sheet with the rules of `entry` and of the sheets it imports, in their order.

    :raises JoinError: for unknown syntax, or a sheet in another folder, where its URLs would mean something else.
    """
    text = read(entry)
    sheets = [_beside(entry, address) for address in _STYLE_IMPORT.findall(text)]
    joined = "".join(join_styles(sheet, read) for sheet in sheets) + _STYLE_IMPORT.sub("", text)
    if found := _STYLE_NOT_UNDERSTOOD.search(joined):
        raise JoinError(f"{entry}: {found[0]!r} cannot be joined")
    return joined


def _reach(name: str, read: Read, modules: dict[str, _Module], above: tuple[str, ...]) -> None:
    """Add the modules that a module needs, then the module itself."""
    if name in above:
        raise JoinError(" imports ".join((*above[above.index(name) :], name)))
    module = _parsed(name, read(name))
    for _, other in module.imports:
        if other not in modules:
            _reach(other, read, modules, (*above, name))
    modules[name] = module


def _parsed(name: str, text: str) -> _Module:
    body = _COMMENT.sub("", text)
    folder = posixpath.dirname(name)
    module = _Module(name)
    for names, address in _IMPORT.findall(body):
        module.imports.append((names.strip().strip(","), posixpath.normpath(posixpath.join(folder, address))))
    module.exports = _EXPORT.findall(body)
    module.body = _EXPORT.sub("", _IMPORT.sub("", body))
    if found := _NOT_UNDERSTOOD.search(module.body):
        raise JoinError(f"{name}: {found[0]!r} cannot be joined")
    return module


def _written(module: _Module, modules: dict[str, _Module], places: dict[str, str]) -> str:
    lines = [f"// {module.name}\n", f"const {places[module.name]} = (() => {{\n"]
    for names, other in module.imports:
        wanted = [part.split(" as ") for part in re.split(r",\s*", names) if part]
        if missing := {name for name, *_ in wanted} - set(modules[other].exports):
            raise JoinError(f"{module.name} imports {sorted(missing)} of {other}")
        if wanted:
            lines.append(f"const {{ {', '.join(': '.join(pair) for pair in wanted)} }} = {places[other]};\n")
    lines += [module.body, f"return {{{', '.join(module.exports)}}};\n}})();\n"]
    return "".join(lines)


def _beside(entry: str, address: str) -> str:
    if "/" in address:
        raise JoinError(f"{entry}: {address!r} lies in another folder")
    return posixpath.join(posixpath.dirname(entry), address)
