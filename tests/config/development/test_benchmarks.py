"""Benchmarks: each announces what it switches off, and none has a target that depends on the machine's speed."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from benchmarks.references import UNITS, amount, announce, row

FOLDER = Path(__file__).parents[3] / "benchmarks"
#: Measured in their own way so far.
OTHERS = {"rush", "hints", "hint_games"}
MODULES = sorted(
    path.stem
    for path in FOLDER.glob("*.py")
    if '__name__ == "__main__"' in path.read_text() and not path.stem.endswith("_parts") and path.stem not in OTHERS
)
_TIME = re.compile(r"(^|_)AIM_(S|MS|US|SECONDS?|MINUTES?)$|(^|_)(MS|SECONDS?)_AIM$")


def calls(tree: ast.AST) -> set[str]:
    return {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}


@pytest.mark.parametrize("name", MODULES)
def test_benchmark_announces_what_it_switches_off(name: str) -> None:
    assert "announce" in calls(ast.parse((FOLDER / f"{name}.py").read_text()))


@pytest.mark.parametrize("name", MODULES)
def test_benchmark_has_no_absolute_time_target(name: str) -> None:
    tree = ast.parse((FOLDER / f"{name}.py").read_text())
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert not {one for one in names if _TIME.search(one)}
    judged = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node.value == "MISSED"]
    assert not judged or name == "capacity_check", "targets belong in the rows of benchmarks.references"


def test_first_line_names_what_is_switched_off(capsys: pytest.CaptureFixture[str]) -> None:
    announce({"ADMISSION": "0", "SEALED_STOCK": "14"}, "beat")
    announce()
    assert capsys.readouterr().out == "switched off: admission, beat\ndefaults\n"


def test_row_compares_only_the_ratio(capsys: pytest.CaptureFixture[str]) -> None:
    assert row("slow machine", 900.0, 300.0, "ms", at_most=3.0)
    assert not row("fast machine", 4.0, 1.0, "ms", at_most=3.0)
    assert not row("rate", 1.0, 4.0, "/s", at_least=0.5)
    assert capsys.readouterr().out.count("MISSED") == 2


@pytest.mark.parametrize("unit", ["ms", "s", "/s"])
def test_absolute_target_in_time_is_refused(unit: str) -> None:
    assert unit not in UNITS
    with pytest.raises(ValueError, match="compare with a reference"):
        amount("a page", 1.0, unit, at_most=2.0)
