"""Table process, which serves WebSockets and no pages: `python -m config.processes.websocket_server`.

A page is made in a thread, and the event loop waits for it at every step, because a computing thread holds Python's
lock. The loop acknowledges moves. With separate table processes, no move waits for a page.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

import django

from config.processes.server import address_arguments, listen, serve
from config.processes.start_check import check_database, explained

APPLICATION: Final = "config.asgi:tables"


@explained()
def main(argv: Sequence[str] | None = None) -> None:
    """Serve WebSockets, probes and metrics."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ["TABLES_ELSEWHERE"] = "1"  # tells the settings that web processes run elsewhere
    host, port = address_arguments("Serve Talon's WebSockets.", argv)
    listener = listen(host, port)
    django.setup()
    check_database()
    serve(listener, application=APPLICATION)


if __name__ == "__main__":
    main()
