"""Folders that take long to make: made once for all processes of a test run, or for all runs until a source changes."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[1]
CACHE: Final = ROOT / "var" / "tests"


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """Return the run's folder of this name, filled by `make`; concurrent callers wait for it."""
    own = factory.getbasetemp()
    # A worker's folder is in the run's folder. A run started by a test has the worker's environment but is no worker.
    return _made(own.parent if own.name.startswith("popen-") else own, name, make)


def made_from(sources: Sequence[str], name: str, make: Callable[[Path], None]) -> Path:
    """Return a folder filled by `make`, which later runs use too while the files of `sources` do not change.

    `sources` are patterns relative to the project's folder.
    """
    CACHE.mkdir(parents=True, exist_ok=True)
    current = f"{name}-{_digest(sources)}"
    folder = _made(CACHE, current, make)
    for stale in CACHE.glob(f"{name}-*"):
        if stale.name.partition(".")[0] != current:
            # Another process may delete it at the same time.
            shutil.rmtree(stale, ignore_errors=True) if stale.is_dir() else stale.unlink(missing_ok=True)
    return folder


def _made(parent: Path, name: str, make: Callable[[Path], None]) -> Path:
    """A folder left half finished by a failed attempt is recreated."""
    folder, done = parent / name, parent / f"{name}.done"
    with (parent / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            done.touch()
    return folder


def _digest(sources: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for path in sorted({path for source in sources for path in ROOT.glob(source) if path.is_file()}):
        digest.update(b"%s\0%s\0" % (bytes(path.relative_to(ROOT)), path.read_bytes()))
    return digest.hexdigest()[:12]
