"""The views that are read from a replica, and for whom."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import wraps
from typing import Any, Final, Literal, TypeVar, cast

from django.conf import settings
from django.db import InterfaceError, InternalError, OperationalError, connections
from django.http import HttpRequest

from games import metrics
from games.replicas import writes
from games.replicas.routing import reading_from
from games.replicas.watching import watch

Place = Literal["boards", "archive", "profiles", "ledger", "api"]

#: A server that is gone, a query that stood in the way of what is replayed, and a write where nothing can be written.
FAILURES: Final = (OperationalError, InterfaceError, InternalError)

View = TypeVar("View", bound=Callable[..., Any])


def from_replica(place: Place) -> Callable[[View], View]:
    """Have a view that only reads be read from a replica, where there is one that is fit for whoever asks.

    When the replica fails, the view is done again on the primary: nobody sees more of it than that it took longer.
    """

    def mark(view: View) -> View:
        @wraps(view)
        def read(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - whatever the view gives
            if not settings.REPLICAS:
                return view(request, *args, **kwargs)
            alias = replica_for(request)
            if alias is not None:
                try:
                    with reading_from(alias):
                        found = view(request, *args, **kwargs)
                except FAILURES as error:
                    watch(alias).fail(error)
                    connections[alias].close()
                else:
                    metrics.READS.labels(place, "replica").inc()
                    return found
            metrics.READS.labels(place, "primary").inc()
            return view(request, *args, **kwargs)

        return cast("View", read)

    return mark


def replica_for(request: HttpRequest) -> str | None:
    """The replica that is fit for whoever asks; None for the primary.

    Somebody who is known gets the same one each time, while there is a choice: two replicas may differ.
    """
    player = _player(request)
    fit = [alias for alias in settings.REPLICAS if watch(alias).is_fit()]
    if not fit:
        return None
    if player is None:
        return random.choice(fit)  # noqa: S311 - no secret
    alias = fit[player % len(fit)]
    if not writes.is_known():
        return None
    position = writes.position_of(player)
    return alias if position is None or watch(alias).has(position) else None


def _player(request: HttpRequest) -> Any:  # noqa: ANN401
    """Who asks, read from the primary; None for those without a session, into which nobody needs to look."""
    if settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return None
    return request.user.pk if request.user.is_authenticated else None
