"""Distribution of the tests to workers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scheduling import GROUPS, SPLIT

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("path", [*GROUPS, *SPLIT])
def test_every_named_path_exists(path: str) -> None:
    assert (ROOT / path).exists()
