"""The bundler: complete and ordered output, separate scopes, and refusal of unsupported syntax."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

import pytest

from config.assets.bundler import JoinError, join_modules, join_styles
from config.assets.static import JOINED_MODULES, JOINED_STYLES

SOURCES = Path(__file__).resolve().parents[3] / "frontend" / "static"


def source(name: str) -> str:
    return (SOURCES / name).read_text()


#: The address in a statement at the beginning of a line, or passed to `import()`.
AT_ONCE, LATE = r"""^@?import\b[^;(]*?["']([^"']+)["']""", r"""\bimport\(["']([^"']+)["']\)"""


#: A module in a bundle: its variable and its code. The name that a statement declares.
SCOPE = re.compile(r"^const (\$module\d+) = \(\(\) => \{\n(.*?)^\}\)\(\);", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"(?:export )?(?:async )?(?:function\*?|const) (\w+)")


def reachable(name: str, seen: set[str], *ways: str) -> set[str]:
    """Return the files that a source needs at run time, found independently of the bundler."""
    if name not in seen:
        seen.add(name)
        code = re.sub(r"/\*.*?\*/", "", source(name), flags=re.DOTALL)
        for address in re.findall("|".join(ways), code, flags=re.MULTILINE):
            path = (SOURCES / name).parent.joinpath("".join(address)).resolve()
            reachable(str(path.relative_to(SOURCES)), seen, *ways)
    return seen


def declarations(name: str) -> list[str]:
    """Return a source's top-level statements without comments and imports."""
    code = re.sub(r"^import\b[^;]*;", "", source(name), flags=re.MULTILINE)
    code = re.sub(r"/\*.*?\*/ ?", "", code, flags=re.DOTALL)
    return re.split(r"^(?=\w)", code, flags=re.MULTILINE)


def lacks(joined: str, code: str) -> list[str]:
    """Return the lines of code missing from a bundle, without lazy imports, which are rewritten."""
    lines = [line.strip().removeprefix("export ") for line in code.splitlines() if re.match(r"\s*[\w.}#]", line)]
    return [line for line in lines if "import(" not in line and line not in joined]


@pytest.mark.parametrize("entry", JOINED_STYLES)
def test_a_style_sheets_imports_are_in_its_bundle(entry: str) -> None:
    joined = join_styles(entry, source)
    parts = reachable(entry, set(), AT_ONCE)
    assert len(parts) > 1
    assert not any(lacks(joined, code) for name in parts for code in declarations(name))
    assert "@import" not in joined


@pytest.mark.parametrize("entry", JOINED_MODULES)
def test_an_entrys_modules_are_in_its_bundles_once(entry: str) -> None:
    files = join_modules(entry, source)
    at_once, all_parts = reachable(entry, set(), AT_ONCE), reachable(entry, set(), AT_ONCE, LATE)
    assert len(all_parts) >= len(at_once) > 3
    scopes = [(file, *scope) for file, text in files.items() for scope in SCOPE.findall(text)]
    assert len(scopes) == len(all_parts)
    for name in all_parts:
        codes = declarations(name)
        file, variable, body = min(scopes, key=lambda scope: sum(len(lacks(scope[2], code)) for code in codes))
        assert file == entry or name not in at_once
        dropped = [NAME.match(code) for code in codes if lacks(body, code)]
        assert not any(re.search(rf"\b{one and one[1]}\b", body) for one in dropped), name
        imported = re.findall(rf"^const {{ (.*) }} = {re.escape(variable)};", "".join(files.values()), re.MULTILINE)
        assert not any(re.search(rf"\b{one and one[1]}\b", " ".join(imported)) for one in dropped), name
    loaded = {posixpath.normpath(f"{posixpath.dirname(entry)}/{address}") for address in re.findall(LATE, files[entry])}
    assert loaded == files.keys() - {entry}
    for text in files.values():
        assert not re.search(r"^\s*(import\b(?!\()|export (?!const late = ))", text, flags=re.MULTILINE)


def test_a_lazy_bundle_reuses_loaded_modules() -> None:
    modules = {
        "js/main.js": 'import { a } from "./a.js";\nconst b = () => import("./b.js");\n'
        'const c = async () => (await import("./deep/c.js")).c(a);\nb(c);\n',
        "js/a.js": "export const a = 1;\n",
        "js/b.js": 'import { a } from "./a.js";\nimport { d } from "./d.js";\nimport { e } from "./e.js";\n'
        "export const b = a + d + e;\n",
        "js/deep/c.js": 'import { d } from "../d.js";\nexport const c = () => d;\n',
        "js/d.js": "export const d = 2;\n",
        "js/e.js": "export const e = 3;\n",
    }
    assert join_modules("js/main.js", modules.__getitem__) == {
        "js/main.js": "const $module0 = (() => {\nconst a = 1;\nreturn {a};\n})();\n"
        "const $module1 = (() => {\nconst { a } = $module0;\n"
        'const b = () => import("./b.late.js").then(({ late }) => late($module0, $module2));\n'
        'const c = async () => (await import("./deep/c.late.js").then(({ late }) => late($module2))).c(a);\n'
        "b(c);\nreturn {};\n})();\n"
        "const $module2 = (() => {\nconst d = 2;\nreturn {d};\n})();\n",
        "js/b.late.js": "let joined;\nexport const late = ($module0, $module2) => joined ??= (() => {\n"
        "const $module3 = (() => {\nconst e = 3;\nreturn {e};\n})();\n"
        "const $module4 = (() => {\nconst { a } = $module0;\nconst { d } = $module2;\n"
        "const { e } = $module3;\nconst b = a + d + e;\nreturn {b};\n})();\nreturn $module4;\n})();\n",
        "js/deep/c.late.js": "let joined;\nexport const late = ($module2) => joined ??= (() => {\n"
        "const $module3 = (() => {\nconst { d } = $module2;\nconst c = () => d;\nreturn {c};\n})();\n"
        "return $module3;\n})();\n",
    }


def test_modules_come_once_in_order_with_separate_scopes() -> None:
    modules = {
        "js/main.js": 'import "./first.js";\nimport { name, Thing as Other } from "./deep/b.js";\nclass Thing {}\n'
        "console.log(name, Other);\n",
        "js/first.js": '/** Says so. */\nimport { name } from "./a.js";\nconsole.log(name);\n',
        "js/a.js": 'const hidden = "a";\nexport const name = hidden;\nexport const other = 1;\n',
        "js/deep/b.js": 'import {\n  name as theirs,\n  other,\n} from "../a.js";\nconst hidden = theirs;\n'
        "export class Thing {}\nexport const name = hidden;\nconsole.log(other);\n",
    }
    assert join_modules("js/main.js", modules.__getitem__)["js/main.js"] == (
        'const $module0 = (() => {\nconst hidden = "a";\nconst name = hidden;\nconst other = 1;\n'
        "return {name, other};\n})();\n"
        "const $module1 = (() => {\nconst { name } = $module0;\nconsole.log(name);\nreturn {};\n})();\n"
        "const $module2 = (() => {\nconst { name: theirs, other } = $module0;\n"
        "const hidden = theirs;\n"
        "class Thing {}\nconst name = hidden;\nconsole.log(other);\nreturn {Thing, name};\n})();\n"
        "const $module3 = (() => {\nconst { name, Thing: Other } = $module2;\nclass Thing {}\n"
        "console.log(name, Other);\nreturn {};\n})();\n"
    )


def test_what_nothing_uses_is_left_out() -> None:
    modules = {
        "js/main.js": 'import { table, check } from "./games.js";\ntable();\n',
        "js/games.js": 'import { layout, rules, ready } from "./braid.js";\nexport const table = () => layout;\n'
        "export const check = { braid: rules };\nconst state = ready();\n",
        "js/braid.js": "export const layout = 1;\nexport const ready = () => layout;\n"
        "export const rules = {\n  deal,\n};\n"
        "function deal() {\n  return again(\n    2,\n  );\n}\nasync function again(n) {}\n",
    }
    assert join_modules("js/main.js", modules.__getitem__)["js/main.js"] == (
        "const $module0 = (() => {\nconst layout = 1;\nconst ready = () => layout;\nreturn {layout, ready};\n})();\n"
        "const $module1 = (() => {\nconst { layout, ready } = $module0;\nconst table = () => layout;\n"
        "const state = ready();\nreturn {table};\n})();\n"
        "const $module2 = (() => {\nconst { table } = $module1;\ntable();\nreturn {};\n})();\n"
    )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("export default 1;\n", "export default"),
        ("export let a = 1;\n", "export let"),
        ("const a = 1;\nexport { a };\n", "export { a }"),
        ('export * from "./b.js";\n', "export *"),
        ('import * as b from "./b.js";\n', "import *"),
        ('import b from "./b.js";\n', "import b"),
        ('import { b } from "elsewhere";\n', "elsewhere"),
        ("const b = (name) => import(name);\n", "import("),
        (
            'import { b } from "./b.js";\nconst c = () => import("./b.js");\n',
            "js/b.js is loaded both lazily and at once",
        ),
        ('const b = () => import("./further.js");\n', "js/further.js is loaded lazily, and loads another lazily"),
        ("const b = `one\n two`;\n", "a template"),
        ("const here = import.meta.url;\n", "import.meta"),
        ("await fetch(1);\n", "await fetch"),
        ('import { c } from "./b.js";\n', "'c'"),
        ('import { b } from "./circle.js";\n', "js/main.js imports js/circle.js imports js/main.js"),
    ],
)
def test_unsupported_syntax_is_refused(text: str, complaint: str) -> None:
    modules = {
        "js/main.js": text,
        "js/b.js": "export const b = 1;\n",
        "js/further.js": 'export const b = () => import("./b.js");\n',
        "js/circle.js": 'import "./main.js";\nexport const b = 1;\n',
    }
    with pytest.raises(JoinError, match=re.escape(complaint)):
        join_modules("js/main.js", modules.__getitem__)


def test_comments_are_removed_but_not_inside_lines() -> None:
    text = 'const a = 1; // one\n// two\n  /** three\n   * lines */\nconst b = /** @type {any} */ ("/* // */");\n'
    joined = join_modules("js/main.js", {"js/main.js": text}.__getitem__)["js/main.js"]
    assert 'const a = 1; // one\nconst b = ("/* // */");\n' in joined


def test_style_sheets_follow_the_order_of_imports() -> None:
    sheets = {"css/all.css": '@import "a.css";\n@import "b.css";\nc {}\n', "css/a.css": "a {}\n", "css/b.css": "b {}\n"}
    assert join_styles("css/all.css", sheets.__getitem__) == "a {}\nb {}\nc {}\n"


@pytest.mark.parametrize("line", ['@import "deep/a.css";', '@import url("a.css");', '@import "a.css" print;'])
def test_foreign_or_conditional_style_sheets_are_refused(line: str) -> None:
    sheets: dict[str, Any] = {"css/all.css": f"{line}\n", "css/a.css": ""}
    with pytest.raises(JoinError):
        join_styles("css/all.css", sheets.__getitem__)
