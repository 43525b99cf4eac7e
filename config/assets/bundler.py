"""Bundler for the client's modules and style sheets, so that a production page loads each entry file in one request.

Browsers run the sources unbundled. The bundler understands only the syntax that the client uses and refuses anything
else: a bundle is either right or not built.

A module loaded late by `import("./other.js")` becomes a file of its own, with everything that only it needs. It
receives the modules already loaded as arguments, so each module exists once and no two files depend on each other's
hashed names. Functions and constants that no module of a bundle uses are left out.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from operator import itemgetter
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
#: A top-level declaration without side effects: a function, or a constant that is one, a list or an object.
_DECLARATION: Final = re.compile(
    r"^(?:(?:async )?function\*? (\w+)|const (\w+) = (?:[\[{]|(?:async )?(?:\w+|\([^\n]*\)) =>))[^\n]*\n"
    r"(?:[ \t\]})][^\n]*\n|\n)*",
    re.MULTILINE,
)
_STYLE_IMPORT: Final = re.compile(r'^@import "([^":]+)";\n', re.MULTILINE)
_STYLE_NOT_UNDERSTOOD: Final = re.compile(r"@(?:import|charset|namespace)\b.*", re.IGNORECASE)


class JoinError(ValueError):
    """A file cannot be bundled: it uses unknown syntax or imports something that does not exist."""


@dataclass
class _Module:
    """A module, bundled as an expression that evaluates to its exports."""

    name: str
    needs: list[str] = field(default_factory=list)
    """Modules that are imported."""
    imports: list[tuple[str, str, str]] = field(default_factory=list)
    """For each imported name: the module it comes from, its name there, and its name here."""
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
    _shake([first, *late.values()], {entry, *late})
    places = _placed(first)
    text = "".join(_written(module, places) for module in first.values())
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
    for other in module.needs:
        if other not in modules:
            _reach(other, read, modules, (*above, name))
    for other, wanted, _ in module.imports:
        if wanted not in modules[other].exports:
            raise JoinError(f"{name} imports {wanted!r} from {other}")
    modules[name] = module


def _reached_late(name: str, read: Read, first: _Modules) -> _Modules:
    """Return the modules that a late one needs and the entry file lacks, with the late module itself last."""
    modules = dict(first)
    _reach(name, read, modules, ())
    own = {key: module for key, module in modules.items() if key not in first}
    if further := [module.name for module in own.values() if module.late]:
        raise JoinError(f"{further[0]} is loaded lazily, and loads another lazily")
    return own


def _shake(files: Iterable[_Modules], entries: Collection[str]) -> None:
    """Drop declarations, exports and imports that nothing uses ("tree shaking"), until there are no more."""
    modules = {name: module for modules in files for name, module in modules.items()}
    size = 0
    while size != (size := sum(len(module.imports) + len(module.body) for module in modules.values())):
        used = {(other, name) for module in modules.values() for other, name, _ in module.imports}
        for module in modules.values():
            if module.name not in entries:
                module.exports = [name for name in module.exports if (module.name, name) in used]
            module.body = _DECLARATION.sub(partial(_if_used, module), module.body)
            module.imports = [one for one in module.imports if _count(one[2], module.body)]


def _if_used(module: _Module, found: re.Match[str]) -> str:
    """Return a declaration if its module exports it or mentions it elsewhere, or else an empty text."""
    name = found[1] or found[2]
    return found[0] if name in module.exports or _count(name, module.body) > _count(name, found[0]) else ""


def _count(name: str, text: str) -> int:
    return len(re.findall(rf"\b{name}\b", text))


def _handed(own: _Modules) -> list[str]:
    """Return the modules that these import from the entry file."""
    return sorted({other for module in own.values() for other in module.needs} - own.keys())


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
        module.needs.append(found_at(address))
        for part in filter(None, re.split(r",\s*", names.strip())):
            name, _, local = part.partition(" as ")
            module.imports.append((found_at(address), name, local or name))
    module.exports = _EXPORT.findall(body)
    module.late = [found_at(address) for address in _LATE.findall(body)]
    body = _EXPORT.sub("", _IMPORT.sub("", body))
    if found := _NOT_UNDERSTOOD.search(_LATE.sub("", body)):
        raise JoinError(f"{name}: {found[0]!r} cannot be bundled")
    if any(line.count("`") % 2 for line in body.splitlines()):
        raise JoinError(f"{name}: a template string over several lines cannot be bundled")
    # Keep the module's own name until its arguments are known.
    module.body = _LATE.sub(lambda late: f'import("{found_at(late[1])}")', body)
    return module


def _written(module: _Module, places: dict[str, str]) -> str:
    lines = [f"const {places[module.name]} = (() => {{\n"]
    for other, imported in groupby(module.imports, itemgetter(0)):
        names = ", ".join(name if name == local else f"{name}: {local}" for _, name, local in imported)
        lines.append(f"const {{ {names} }} = {places[other]};\n")
    lines += [_INDENT.sub("", module.body), f"return {{{', '.join(module.exports)}}};\n}})();\n"]
    return "".join(lines)


def _written_late(name: str, own: _Modules, first: _Modules, arguments: str) -> str:
    """Return a file that takes the modules it needs as arguments and evaluates its own modules once."""
    places = _placed(first | own)
    text = "".join(_written(module, places) for module in own.values())
    made = f"{text}return {places[name]};\n"
    return f"let joined;\nexport const late = ({arguments}) => joined ??= (() => {{\n{made}}})();\n"


def _beside(entry: str, address: str) -> str:
    if "/" in address:
        raise JoinError(f"{entry}: {address!r} is in another folder")
    return posixpath.join(posixpath.dirname(entry), address)
