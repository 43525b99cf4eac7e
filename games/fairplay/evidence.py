"""Registry of evidence sections for the staff's page of an attempt.

Other parts register a provider when the applications are ready. The page shows the sections in the order of
registration.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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


Provider = Callable[[Attempt], Section | None]
"""Returns the section of an attempt, or None if there is no evidence."""

_providers: list[Provider] = []


def register(provider: Provider) -> None:
    """Add a provider of sections, once."""
    if provider not in _providers:
        _providers.append(provider)


def sections(attempt: Attempt, *, may_watch: bool) -> list[Section]:
    """Return the sections of an attempt, without those that reveal cards unless `may_watch`."""
    result = [section for provider in _providers if (section := provider(attempt)) is not None]
    return [section for section in result if may_watch or not section.reveals_cards]
