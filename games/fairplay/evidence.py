"""Evidence sections for the staff's page of an attempt, in the order of registration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from games.core.registry import Providers
from games.models import Attempt


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the page: a heading, with optional sentences, named figures and a table.

    A section with `reveals_cards` shows cards or moves, and is shown only to staff who may watch the game.
    """

    title: str
    sentences: tuple[str, ...] = ()
    figures: tuple[tuple[str, str], ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    reveals_cards: bool = False


section_of: Final = Providers[Callable[[Attempt], Section | None]]()
"""Each returns its section of an attempt, or None if there is no evidence."""


def sections(attempt: Attempt, *, may_watch: bool) -> list[Section]:
    """Return the sections of an attempt, without those that reveal cards unless `may_watch`."""
    result = [section for provider in section_of if (section := provider(attempt)) is not None]
    return [section for section in result if may_watch or not section.reveals_cards]
