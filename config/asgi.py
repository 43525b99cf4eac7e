"""The ASGI application: Django for HTTP, Channels for WebSockets."""

from __future__ import annotations

import os

import django
from channels.routing import ProtocolTypeRouter, URLRouter

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

django.setup(set_prefix=False)

from django.conf import settings  # noqa: E402

from config.http.handler import SyncHandler  # noqa: E402 - apps must be loaded first
from config.http.websocket_origin import OriginCheck  # noqa: E402
from config.observability.health import Health  # noqa: E402
from config.page_cache.anonymous import AnonymousPages, PageCache  # noqa: E402
from config.processes.table_process import TableProcess, Tables, no_tables, takes_connections  # noqa: E402
from config.routing import websocket_routes  # noqa: E402
from games.live.sockets.authentication import Visitors  # noqa: E402
from games.live.sockets.ownership import Ownership  # noqa: E402

_sockets = OriginCheck(Visitors(Ownership(URLRouter(websocket_routes))))

_pages = SyncHandler()

#: Application of a web process: pages, and also the tables unless they have processes of their own.
application = ProtocolTypeRouter(
    {
        "http": Health(
            AnonymousPages(_pages, PageCache(_pages)),
            lambda: _pages.newcomers.is_full or not takes_connections(),
            separate_tables=settings.TABLES_ELSEWHERE,
        ),
        "websocket": no_tables if settings.TABLES_ELSEWHERE else Tables(_sockets),
    }
)

#: Application of a table process (`config.processes.websocket_server`).
tables = TableProcess(_sockets, Health(_pages, lambda: not takes_connections()))
