"""Joined files: everything in, in order, names kept apart, and nothing that is not understood."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from config.joining import JoinError, join_modules, join_styles
from config.static import JOINED

SOURCES = Path(__file__).resolve().parents[2] / "frontend" / "static"


def source(name: str) -> str:
    return (SOURCES / name).read_text()


def reachable(name: str, seen: set[str]) -> set[str]:
    """What a source needs when it runs, found without the joiner."""
    if name not in seen:
        seen.add(name)
        code = re.sub(r"/\*.*?\*/", "", source(name), flags=re.DOTALL)
        for address in re.findall(r"""^@?import\b[^;]*?["']([^"']+)["']""", code, flags=re.MULTILINE):
            reachable(str((SOURCES / name).parent.joinpath(address).resolve().relative_to(SOURCES)), seen)
    return seen


@pytest.mark.parametrize("entry", JOINED)
def test_all_that_an_entry_reaches_is_in_its_file(entry: str) -> None:
    joined = JOINED[entry](entry, source)
    parts = reachable(entry, set())
    assert len(parts) > 3
    for name in parts:
        code = re.sub(r"^import\b[^;]*;", "", source(name), flags=re.MULTILINE)
        lines = [line for line in code.splitlines() if re.match(r"\s*[\w.}#]", line)]
        assert all(line.removeprefix("export ") in joined for line in lines), name
    assert not re.search(r"^\s*(import|export|@import)\b", joined, flags=re.MULTILINE)


def test_modules_come_once_each_after_what_they_import_and_keep_their_names_apart() -> None:
    modules = {
        "js/main.js": 'import "./first.js";\nimport { name, Thing as Other } from "./deep/b.js";\nclass Thing {}\n',
        "js/first.js": '/** Says so. */\nimport { name } from "./a.js";\nconsole.log(name);\n',
        "js/a.js": 'const hidden = "a";\nexport const name = hidden;\nexport const other = 1;\n',
        "js/deep/b.js": 'import {\n  name as theirs,\n  other,\n} from "../a.js";\nconst hidden = theirs;\n'
        "export class Thing {}\nexport const name = hidden;\nexport async function later() {}\n",
    }
    assert join_modules("js/main.js", modules.__getitem__) == (
        '// js/a.js\nconst $module0 = (() => {\nconst hidden = "a";\nconst name = hidden;\nconst other = 1;\n'
        "return {name, other};\n})();\n"
        "// js/first.js\nconst $module1 = (() => {\nconst { name } = $module0;\nconsole.log(name);\nreturn {};\n})();\n"
        "// js/deep/b.js\nconst $module2 = (() => {\nconst { name: theirs, other } = $module0;\n"
        "const hidden = theirs;\n"
        "class Thing {}\nconst name = hidden;\nasync function later() {}\nreturn {Thing, name, later};\n})();\n"
        "// js/main.js\nconst $module3 = (() => {\nconst { name, Thing: Other } = $module2;\nclass Thing {}\n"
        "return {};\n})();\n"
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
        ('const b = () => import("./b.js");\n', "import("),
        ("const here = import.meta.url;\n", "import.meta"),
        ("await fetch(1);\n", "await fetch"),
        ('import { c } from "./b.js";\n', "'c'"),
        ('import { b } from "./circle.js";\n', "js/main.js imports js/circle.js imports js/main.js"),
    ],
)
def test_what_is_not_understood_is_refused(text: str, complaint: str) -> None:
    modules = {
        "js/main.js": text,
        "js/b.js": "export const b = 1;\n",
        "js/circle.js": 'import "./main.js";\nexport const b = 1;\n',
    }
    with pytest.raises(JoinError, match=re.escape(complaint)):
        join_modules("js/main.js", modules.__getitem__)


def test_comments_go_and_what_looks_like_one_inside_a_line_stays() -> None:
    text = 'const a = 1; // one\n// two\n  /** three\n   * lines */\nconst b = /** @type {any} */ ("//");\n'
    joined = join_modules("js/main.js", {"js/main.js": text}.__getitem__)
    assert 'const a = 1; // one\nconst b = /** @type {any} */ ("//");\n' in joined


def test_style_sheets_come_in_the_order_of_their_imports() -> None:
    sheets = {"css/all.css": '@import "a.css";\n@import "b.css";\nc {}\n', "css/a.css": "a {}\n", "css/b.css": "b {}\n"}
    assert join_styles("css/all.css", sheets.__getitem__) == "a {}\nb {}\nc {}\n"


@pytest.mark.parametrize("line", ['@import "deep/a.css";', '@import url("a.css");', '@import "a.css" print;'])
def test_a_style_sheet_from_elsewhere_or_on_conditions_is_refused(line: str) -> None:
    sheets: dict[str, Any] = {"css/all.css": f"{line}\n", "css/a.css": ""}
    with pytest.raises(JoinError):
        join_styles("css/all.css", sheets.__getitem__)
