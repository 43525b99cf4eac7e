"""Recorded questions, and the end of searches after each test of hints."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from games.hints import questions


@pytest.fixture(autouse=True)
def fresh_memory() -> Iterator[None]:
    yield
    questions.dismiss()


@pytest.fixture
def requested(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    sent: list[int] = []
    monkeypatch.setattr(questions, "_request_answer", lambda question: sent.append(question.pk))
    return sent
