"""Actions of several processes at one moment, each in a thread with its own database connection."""

from __future__ import annotations

import threading
from collections.abc import Callable

from django.db import connections


def run_together(*actions: Callable[[], object]) -> list[object]:
    """Start all actions at once and return what each returned or raised."""
    start = threading.Barrier(len(actions))
    outcomes: list[object] = [None] * len(actions)

    def act(place: int) -> None:
        start.wait()
        try:
            outcomes[place] = actions[place]()
        except Exception as error:  # noqa: BLE001 - it is the outcome
            outcomes[place] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=act, args=(place,)) for place in range(len(actions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes
