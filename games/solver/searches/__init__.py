"""Searches of the games, each made by a module of its own, named after the game.

Such a module has ``make_search(table, *, seed, memory)``, which packs a table of the rules into the start of a search,
and may have ``thrifty_search(table, thrift, *, seed)`` for short lines, and ``exhaustive_search(table, *, memory)`` for
positions that it decides sooner than the other searches.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from games.rules import Table
    from games.solver.search_drivers import Search, Thrift, Tries

MEGABYTE = 1 << 20


def make_search(table: Table, *, seed: int, memory: int) -> Search:
    """Create a search from the table's position that uses about ``memory`` MiB; ``seed`` numbers its random stream.

    :raises PositionNotReachableError: for a position that no game can reach.
    """
    search: Search = _module(table).make_search(table, seed=seed, memory=memory * MEGABYTE)
    return search


def thrifty_search(table: Table, thrift: Thrift, *, seed: int) -> Tries | None:
    """Create a search that prefers short lines; ``seed`` numbers its random stream.

    Return None for games without such a search, and before Braid's direction is chosen.

    :raises PositionNotReachableError: for a position that no game can reach.
    """
    make = getattr(_module(table), "thrifty_search", None)
    search: Tries | None = make(table, thrift, seed=seed) if make else None
    return search


def exhaustive_search(table: Table, *, memory: int) -> Search | None:
    """Create a search through all positions that uses about ``memory`` MiB; None where it would take too long."""
    make = getattr(_module(table), "exhaustive_search", None)
    search: Search | None = make(table, memory=memory * MEGABYTE) if make else None
    return search


def _module(table: Table) -> ModuleType:
    return import_module(f"{__name__}.{table.GAME}")
