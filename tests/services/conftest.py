"""Stacks of real processes, on copies of one migrated cluster."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services.stack import Stack, started


@pytest.fixture(scope="package")
def plain(cluster: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A shared stack in the production shape without PgBouncer or replica; tests use it through `stack`."""
    with started(tmp_path_factory.mktemp("plain"), cluster) as running:
        yield running


@pytest.fixture(scope="package")
def full(cluster: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A shared stack with PgBouncer in front of the database, and a replica that all processes read from.

    It has only the worker that judges games.
    """
    home = tmp_path_factory.mktemp("full")
    with started(home, cluster, pooled=True, replicated=True, workers=["worker"]) as running:
        yield running


@pytest.fixture
def stack(plain: Stack) -> Stack:
    """A stack with all processes but beat running; players and deals of earlier tests remain."""
    plain.mend()
    return plain
