"""Library pages of `make docs`: they show every public name of the rules and the solver with its docstring."""

from __future__ import annotations

import html
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import games.rules
import games.solver

ROOT = Path(__file__).resolve().parents[2]
#: The command that `make docs` runs.
COMMAND = re.compile(r"\$\(BIN\)/python (-m pdoc .*) -o var/docs (.*)")


def test_every_public_name_has_its_place(tmp_path: Path) -> None:
    found = COMMAND.search((ROOT / "Makefile").read_text())
    assert found is not None
    settings, modules = found.groups()
    command = [sys.executable, *settings.split(), "-o", str(tmp_path), *modules.split()]
    environment = {**os.environ, "TALON_NO_NUMBA": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    for library in (games.rules, games.solver):
        page = tmp_path.joinpath(*library.__name__.split(".")).with_suffix(".html").read_text()
        assert [name for name in library.__all__ if f'id="{name}"' not in page] == []
        classes = [value for name in library.__all__ if isinstance(value := getattr(library, name), type)]
        text = re.sub(r"\W+", "", html.unescape(re.sub(r"<[^>]*>", "", page)))
        assert classes
        for described in (library, *classes):
            first = inspect.cleandoc(described.__doc__ or "").splitlines()[0]
            assert re.sub(r"\W+", "", first) in text, described
