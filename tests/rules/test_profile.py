"""Hypothesis profile: the property tests try new examples in every run, and more of them on request."""

from __future__ import annotations

import pytest
from hypothesis import settings

from tests.rules.profile import examples


def test_the_number_of_examples_can_be_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EXAMPLES", raising=False)
    assert examples(12).max_examples == 12
    monkeypatch.setenv("EXAMPLES", "4")
    assert examples(12).max_examples == 48


def test_examples_are_new_but_reproducible() -> None:
    used = examples(12)
    assert not used.derandomize
    assert used.print_blob
    assert settings().derandomize is False
