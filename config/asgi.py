"""The ASGI application: Django for HTTP, Channels for WebSockets."""

from __future__ import annotations

import os

import django
from channels.routing import ProtocolTypeRouter, URLRouter

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

django.setup(set_prefix=False)

from django.conf import settings  # noqa: E402

from config.admission.gate import Gate  # noqa: E402 - apps must be loaded first
from config.admission.load import Load  # noqa: E402
from config.http.handler import SyncHandler  # noqa: E402
from config.http.websocket_origin import OriginCheck  # noqa: E402
from config.observability.health import Health  # noqa: E402
from config.page_cache.anonymous import AnonymousPages, PageCache  # noqa: E402
from config.processes.misdirected import TableProcess, no_tables  # noqa: E402
from config.routing import websocket_routes  # noqa: E402
from games.live.sockets.authentication import Visitors  # noqa: E402
from games.live.sockets.eviction import open_sockets  # noqa: E402
from games.live.sockets.ownership import Ownership  # noqa: E402

_sockets = OriginCheck(Visitors(Ownership(URLRouter(websocket_routes))))

_pages = SyncHandler()
_page_cache = PageCache(_pages)
_load = Load(_pages, lambda: len(open_sockets()))

#: Application of a web process: pages, and also the tables unless they have processes of their own.
application = ProtocolTypeRouter(
    {
        "http": Health(
            AnonymousPages(Gate(_pages, _page_cache, _load), _page_cache),
            lambda: _load.is_full,
            separate_tables=settings.TABLES_ELSEWHERE,
        ),
        "websocket": no_tables if settings.TABLES_ELSEWHERE else _sockets,
    }
)

_tables_load = Load(_pages, lambda: len(open_sockets()))

#: Application of a table process (`config.processes.websocket_server`).
tables = TableProcess(_sockets, Health(_pages, lambda: _tables_load.is_full), _tables_load)
