"""What other parts have to say of an attempt at the staff's desk.

A part that has evidence registers a provider when the applications are ready; the desk shows its section with the
others, in the order of registration.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from games.models import Attempt


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the desk's page: a heading, sentences, figures by their names, and a table, each if there is any.

    One that tells what lies or was played is shown only to those who may watch the game (`tells_cards`).
    """

    title: str
    sentences: tuple[str, ...] = ()
    figures: tuple[tuple[str, str], ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    tells_cards: bool = False


Provider = Callable[[Attempt], Section | None]
"""Gives the section of an attempt, or None when there is nothing to say."""

_providers: list[Provider] = []


def register(provider: Provider) -> None:
    """Show what this one has to say from now on."""
    if provider not in _providers:
        _providers.append(provider)


def sections(attempt: Attempt, *, may_watch: bool) -> list[Section]:
    """The sections of an attempt, for somebody who may watch the game or not."""
    found = [section for provider in _providers if (section := provider(attempt)) is not None]
    return [section for section in found if may_watch or not section.tells_cards]
