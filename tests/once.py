"""Resources shared by all processes of a test run, created by the first one that needs them."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """Return the run's folder of this name, filled by `make`; concurrent callers wait for it.

    A folder left half finished by a failed attempt is recreated.
    """
    own = factory.getbasetemp()
    # A worker's folder is in the run's folder. A run started by a test has the worker's environment but is no worker.
    folder = (own.parent if own.name.startswith("popen-") else own) / name
    done = folder.with_suffix(".done")
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            done.touch()
    return folder
