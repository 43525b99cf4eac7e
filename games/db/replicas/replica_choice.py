"""Choice between the primary and a replica for each request, and the view decorator that reads from the choice."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import wraps
from typing import Any, Final, Literal, TypeVar, cast

from django.conf import settings
from django.db import InterfaceError, InternalError, OperationalError, connections
from django.http import HttpRequest

from games.core import metrics
from games.db.players import player_id
from games.db.replicas import write_positions
from games.db.replicas.lag_monitor import watch
from games.db.replicas.router import reading_from

Place = Literal["boards", "archive", "profiles", "ledger", "api"]

#: Errors of a lost server, a query cancelled because it conflicts with WAL replay, and a write on a read-only server.
FAILURES: Final = (OperationalError, InterfaceError, InternalError)

View = TypeVar("View", bound=Callable[..., Any])


def from_replica(place: Place) -> Callable[[View], View]:
    """Read a read-only view's data from a replica, if one is fresh enough for the requester.

    If the replica fails, the view runs again on the primary: the visitor only notices a delay.
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
                        response = view(request, *args, **kwargs)
                except FAILURES as error:
                    watch(alias).fail(error)
                    connections[alias].close()
                else:
                    metrics.READS.labels(place, "replica").inc()
                    return response
            metrics.READS.labels(place, "primary").inc()
            return view(request, *args, **kwargs)

        return cast("View", read)

    return mark


def replica_for(request: HttpRequest) -> str | None:
    """Return the alias of a replica that is fresh enough for the requester; None for the primary.

    A signed-in player gets the same replica each time while the set of fit replicas is unchanged, since two replicas
    may differ.
    """
    # Read from the primary; without a session cookie there is no query.
    player = player_id(request) if settings.SESSION_COOKIE_NAME in request.COOKIES else None
    fit = [alias for alias in settings.REPLICAS if watch(alias).is_fit()]
    if not fit:
        return None
    if player is None:
        return random.choice(fit)  # noqa: S311 - no secret
    alias = fit[player % len(fit)]
    if not write_positions.is_known():
        return None
    position = write_positions.position_of(player)
    return alias if position is None or watch(alias).has(position) else None
