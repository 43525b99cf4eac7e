"""What all processes of a test run share is made by the first that asks for it."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """The run's folder of this name, which `make` has filled; whoever comes meanwhile waits for it.

    What was left half made by one who failed is made anew.
    """
    own = factory.getbasetemp()
    # A worker's own folder is one of the run's; a run that a test starts has the worker's environment and is none.
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
