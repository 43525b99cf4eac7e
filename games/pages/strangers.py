"""Pages that are the same for every visitor of whom nothing is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from django.http import HttpResponse

#: The attribute of a view that says so: seconds for which one copy of its page serves all of them.
MARK: Final = "same_for_strangers"

View = TypeVar("View", bound=Callable[..., HttpResponse])


def same_for_strangers(seconds: float) -> Callable[[View], View]:
    """Mark a view whose page depends, for visitors without a session, on address, language and day alone.

    The newcomers' guide (`games.pages.home`), the CSRF token and the time of the server (`data-now`) may differ;
    `config.strangers` sees to them.
    """

    def mark(view: View) -> View:
        setattr(view, MARK, seconds)
        return view

    return mark
