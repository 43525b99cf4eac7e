"""Acceptance study of fair play (`make fairplay`), and the people it is judged with."""

from __future__ import annotations

import sys

import pytest

from tests.fairplay.__main__ import main


def test_a_run_can_be_limited_to_some_models(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = "--models hands plans --variants labyrinth --games 6 --programs 0 --players 0 --seed 1"
    monkeypatch.setattr(sys, "argv", ["fairplay", *options.split()])
    main()
    rows = [line.split("  ")[1] for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    assert rows == ["honest, hands (tuning)", "honest, plans (only judges)"]
