"""What a test needs of its surroundings: missing locally is a skip, missing in CI a failure."""

from __future__ import annotations

import os

import pytest


def in_ci() -> bool:
    """Whether the environment says CI=true."""
    return os.environ.get("CI", "").lower() in {"1", "true", "yes"}


def need(condition: object, reason: str) -> None:
    """Skip the running test unless `condition` holds; with CI=true in the environment fail it instead."""
    if condition:
        return
    if in_ci():
        pytest.fail(f"required in CI: {reason}", pytrace=False)
    pytest.skip(reason)
