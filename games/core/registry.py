"""Registry of functions that a lower layer needs from a higher one.

The lower layer declares a `Provider` or `Providers`, and the higher one registers its implementation in
`AppConfig.ready`.
"""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class Provider(Generic[T]):
    """An interface with one implementation, which is registered at start-up."""

    def register(self, implementation: T) -> None:
        """Use this implementation from now on."""
        self._implementation = implementation

    def __call__(self) -> T:
        """Return the implementation.

        :raises AttributeError: if none is registered.
        """
        return self._implementation


class Providers(list[T]):
    """An interface with any number of implementations, in the order of registration."""

    def register(self, *implementations: T) -> None:
        """Add implementations, each once."""
        self += [one for one in implementations if one not in self]
