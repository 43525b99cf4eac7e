"""Bundler for the client's modules and style sheets, so that a production page loads each entry file in one request.

Browsers run the sources unbundled. The bundler understands only the syntax that the client uses and refuses anything
else: a bundle is either right or not built.

A module loaded late by `import("./other.js")` becomes a file of its own, with everything that only it needs. It
receives the modules already loaded as arguments, so each module exists once and no two files depend on each other's
hashed names.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

#: Function that returns the text of a file, by its path below the static root.
Read = Callable[[str], str]

_IMPORT: Final = re.compile(r'^import (?:\{([^}]*)\} from )?"(\.{1,2}/[^"]+)";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:(?:async )?function|class|const) (\w+))", re.MULTILINE)
#: A comment on lines of its own; within a line it might be part of a string.
_COMMENT: Final = re.compile(r"^[ \t]*(?:/\*(?:(?!\*/).)*\*/[ \t]*|//[^\n]*)\n", re.MULTILINE | re.DOTALL)
_LATE: Final = re.compile(r'\bimport\("(\.{1,2}/[^"]+)"\)')
#: An inline type cast.
_CAST: Final = re.compile(r"/\*\* @(?:type|param) [^*\n]*\*/ ?")
_NOT_UNDERSTOOD: Final = re.compile(r"^(?:import|export|await)\b.*|\bimport\s*[(.].*", re.MULTILINE)
#: Indentation and blank lines.
_INDENT: Final = re.compile(r"^\s+", re.MULTILINE)
_STYLE_IMPORT: Final = re.compile(r'^@import "([^":]+)";\n', re.MULTILINE)
_STYLE_NOT_UNDERSTOOD: Final = re.compile(r"@(?:import|charset|namespace)\b.*", re.IGNORECASE)


class JoinError(ValueError):
    """A file cannot be bundled: it uses unknown syntax or imports something that does not exist."""


@dataclass
class _Module:
    """A module, bundled as an expression that evaluates to its exports."""

    name: str
    imports: list[tuple[str, str]] = field(default_factory=list)
    """Pairs of the imported names (the text between the braces) and the module they come from."""
    late: list[str] = field(default_factory=list)
    """Modules that are loaded dynamically."""
    exports: list[str] = field(default_factory=list)
    body: str = ""


#: Modules by name, each after those it imports.
_Modules = dict[str, _Module]


def join_modules(entry: str, read: Read) -> dict[str, str]:
    """Return the bundled files by name: the entry file, and one for each module loaded late.

    Each module becomes a function, after those it imports. Modules that two late files need go into the entry file.

    :raises JoinError: for unknown syntax, circular imports, or an import that the other module does not export.
    """
    first: _Modules = {}
    _reach(entry, read, first, ())
    late = {name: _reached_late(name, read, first) for module in first.values() for name in module.late}
    needed = Counter(name for modules in late.values() for name in modules)
    first |= {name: module for modules in late.values() for name, module in modules.items() if needed[name] > 1}
    if both := sorted(late.keys() & first.keys()):
        raise JoinError(f"{both[0]} is loaded both lazily and at once")
    places = _placed(first)
    text = "".join(_written(module, first, places) for module in first.values())
    files = {}
    for name, modules in late.items():
        own = {key: module for key, module in modules.items() if key not in first}
        arguments = ", ".join(places[key] for key in _handed(own))
        files[_late_name(name)] = _written_late(name, own, first, arguments)
        address = f"./{posixpath.relpath(_late_name(name), posixpath.dirname(entry))}"
        text = text.replace(f'import("{name}")', f'import("{address}").then(({{ late }}) => late({arguments}))')
    return {entry: text, **files}


def join_styles(entry: str, read: Read) -> str:
    """Return one style sheet with the rules of `entry` and of the sheets it imports, in their order.

    :raises JoinError: for unknown syntax, or a sheet in another folder, where its URLs would mean something else.
    """
    text = read(entry)
    sheets = [_beside(entry, address) for address in _STYLE_IMPORT.findall(text)]
    own = _INDENT.sub("", _COMMENT.sub("", _STYLE_IMPORT.sub("", text)))
    joined = "".join(join_styles(sheet, read) for sheet in sheets) + own
    if found := _STYLE_NOT_UNDERSTOOD.search(joined):
        raise JoinError(f"{entry}: {found[0]!r} cannot be bundled")
    return joined


def _reach(name: str, read: Read, modules: _Modules, above: tuple[str, ...]) -> None:
    """Add a module after the modules it needs."""
    if name in above:
        raise JoinError(" imports ".join((*above[above.index(name) :], name)))
    module = _parsed(name, read(name))
    for _, other in module.imports:
        if other not in modules:
            _reach(other, read, modules, (*above, name))
    modules[name] = module


def _reached_late(name: str, read: Read, first: _Modules) -> _Modules:
    """Return the modules that a late one needs and the entry file lacks, with the late module itself last."""
    modules = dict(first)
    _reach(name, read, modules, ())
    own = {key: module for key, module in modules.items() if key not in first}
    if further := [module.name for module in own.values() if module.late]:
        raise JoinError(f"{further[0]} is loaded lazily, and loads another lazily")
    return own


def _handed(own: _Modules) -> list[str]:
    """Return the modules that these import from the entry file."""
    return sorted({other for module in own.values() for _, other in module.imports} - own.keys())


def _placed(modules: _Modules) -> dict[str, str]:
    """Return each module's variable name in the bundle."""
    return {name: f"$module{place}" for place, name in enumerate(modules)}


def _late_name(name: str) -> str:
    return f"{name.removesuffix('.js')}.late.js"


def _parsed(name: str, text: str) -> _Module:
    body = _CAST.sub("", _COMMENT.sub("", text))
    folder = posixpath.dirname(name)

    def found_at(address: str) -> str:
        return posixpath.normpath(posixpath.join(folder, address))

    module = _Module(name)
    for names, address in _IMPORT.findall(body):
        module.imports.append((names.strip().strip(","), found_at(address)))
    module.exports = _EXPORT.findall(body)
    module.late = [found_at(address) for address in _LATE.findall(body)]
    body = _EXPORT.sub("", _IMPORT.sub("", body))
    if found := _NOT_UNDERSTOOD.search(_LATE.sub("", body)):
        raise JoinError(f"{name}: {found[0]!r} cannot be bundled")
    if any(line.count("`") % 2 for line in body.splitlines()):
        raise JoinError(f"{name}: a template string over several lines cannot be bundled")
    # Keep the module's own name until its arguments are known.
    module.body = _INDENT.sub("", _LATE.sub(lambda late: f'import("{found_at(late[1])}")', body))
    return module


def _written(module: _Module, modules: _Modules, places: dict[str, str]) -> str:
    lines = [f"const {places[module.name]} = (() => {{\n"]
    for names, other in module.imports:
        imported = [part.split(" as ") for part in re.split(r",\s*", names) if part]
        if missing := {name for name, *_ in imported} - set(modules[other].exports):
            raise JoinError(f"{module.name} imports {sorted(missing)} from {other}")
        if imported:
            lines.append(f"const {{ {', '.join(': '.join(pair) for pair in imported)} }} = {places[other]};\n")
    lines += [module.body, f"return {{{', '.join(module.exports)}}};\n}})();\n"]
    return "".join(lines)


def _written_late(name: str, own: _Modules, first: _Modules, arguments: str) -> str:
    """Return a file that takes the modules it needs as arguments and evaluates its own modules once."""
    places = _placed(first | own)
    text = "".join(_written(module, first | own, places) for module in own.values())
    made = f"{text}return {places[name]};\n"
    return f"let joined;\nexport const late = ({arguments}) => joined ??= (() => {{\n{made}}})();\n"


def _beside(entry: str, address: str) -> str:
    if "/" in address:
        raise JoinError(f"{entry}: {address!r} is in another folder")
    return posixpath.join(posixpath.dirname(entry), address)
