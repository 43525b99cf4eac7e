"""Independence of the rules library: it needs only the standard library, and loads without Django."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import games.rules

FOLDER = Path(games.rules.__file__).parent

PROBE = """
import sys

before = set(sys.modules)
BARRED = {"django", "celery", "channels", "redis", "msgspec", "config", "accounts", "leaderboards"}


class Wall:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BARRED:
            raise ImportError(f"{name} is not for the rules")


sys.meta_path.insert(0, Wall())

import games.rules
import games.rules.__main__

table = games.rules.open_table("tarot", bytes(32))
table.push(table.legal_moves()[0])
end = {"how": "resigned", "ms": 2}
record = {"rules": 1, "variant": "plot", "seed": "00" * 32, "tokens": ["d"], "clock": [1], "end": end}
assert games.rules.replay(games.rules.Record.from_json(record)).ok

loaded = {name.partition(".")[0] for name in set(sys.modules) - before}
print(sorted(loaded - set(sys.stdlib_module_names) - {"games"}))
"""


def test_it_works_without_django() -> None:
    """Uses a fresh interpreter and ignores modules that the interpreter itself loads, for example in virtual
    environments.
    """
    command = [sys.executable, "-c", PROBE]
    done = subprocess.run(command, cwd=FOLDER.parents[1], capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == "[]"


def test_it_imports_only_the_standard_library_and_itself() -> None:
    sources = sorted(FOLDER.rglob("*.py"))
    assert sources
    for source in sources:
        for name in imported(source):
            assert name.split(".")[0] in sys.stdlib_module_names or name.startswith("games.rules"), f"{source}: {name}"


def imported(source: Path) -> list[str]:
    """List the absolute imports of a module, including those inside functions.

    Relative imports must stay in the library.
    """
    names = []
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.append(node.module or "")
        elif isinstance(node, ast.ImportFrom):
            depth = len(source.relative_to(FOLDER).parts)
            assert node.level <= depth, f"{source} reaches out of the library"
    return names
