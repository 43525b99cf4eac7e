"""The random-order test command: it ends, and prints how to repeat a failure."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import orders


def write(folder: Path, body: str) -> str:
    """Create a file with one test."""
    file = folder / "test_one.py"
    file.write_text(f"import random\nimport time\n\n\ndef test_one():\n    {body}\n")
    return str(file)


def test_a_failing_run_prints_how_to_repeat_it(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, "assert random.random() < 0")
    assert orders.main(["--times=0", "--load=1", file]) == 1
    out = capfd.readouterr().out
    begun = re.match(r"== order (\d+), with 1 busy processes\n", out)
    assert begun is not None
    again = f"python -m tests.orders --seed={begun[1]} --load=1 {file}"
    assert out.endswith(f"Failed; each again:\n{again}\n")
    # The printed command repeats the run, with the same random numbers.
    drawn = re.findall(r"assert (\d\S+) < 0", out)
    assert drawn
    assert orders.main(again.split()[3:]) == 1
    repeated = capfd.readouterr().out
    assert repeated.startswith(begun[0])
    assert re.findall(r"assert (\d\S+) < 0", repeated) == drawn


def test_passing_runs_are_done(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert orders.main(["--times=0", "--load=0", write(tmp_path, "pass")]) == 0
    assert capfd.readouterr().out.endswith("Every order passed.\n")


def test_a_hanging_run_is_stopped_and_fails(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(orders, "TO_STOP", 5.0)  # background processes ignore SIGINT
    file = write(tmp_path, "time.sleep(3600)")
    assert orders.main(["--seed=5", "--minutes=0.02", file]) == 1
    assert capfd.readouterr().out.endswith(f"Failed; each again:\npython -m tests.orders --seed=5 --load=0 {file}\n")


def test_a_busy_process_ends_with_its_parent() -> None:
    starter = (
        "import os, subprocess, sys; from tests.orders import SPIN; "
        "print(subprocess.Popen([sys.executable, '-c', SPIN, str(os.getpid())]).pid)"
    )
    # The other end of the pipe closes when the last process that holds it has ended.
    run = subprocess.run(
        [sys.executable, "-c", starter], cwd=orders.ROOT, capture_output=True, text=True, timeout=300, check=True
    )
    assert int(run.stdout) > 0
