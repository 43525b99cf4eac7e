"""The ASGI application: Django for HTTP, Channels for WebSockets."""

from __future__ import annotations

import os
from typing import Any

import django
from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

django.setup(set_prefix=False)

from config.handler import OneHop  # noqa: E402
from config.origins import OwnPages  # noqa: E402 - apps must be loaded first
from config.routes import websocket_routes  # noqa: E402
from config.strangers import ForStrangers  # noqa: E402
from config.threads import KeptThreads  # noqa: E402
from games.live.capacity import MOST_OF_ADDRESS, MOST_OF_PLAYER, Capped, address_of, player_of  # noqa: E402
from games.presence.summary import PlayingNow  # noqa: E402

# The address is checked before the session is read.
_sockets: Any = AuthMiddlewareStack(Capped(URLRouter(websocket_routes), player_of, MOST_OF_PLAYER))

application = ProtocolTypeRouter(
    {
        "http": PlayingNow(ForStrangers(KeptThreads(OneHop()))),
        "websocket": OwnPages(Capped(_sockets, address_of, MOST_OF_ADDRESS)),
    }
)
