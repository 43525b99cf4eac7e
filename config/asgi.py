"""The ASGI application: Django for HTTP, Channels for WebSockets."""

from __future__ import annotations

import os

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

django_application = get_asgi_application()

from config.routes import websocket_routes  # noqa: E402 - apps must be loaded first
from config.threads import KeptThreads  # noqa: E402
from games.playing import PlayingNow  # noqa: E402

application = ProtocolTypeRouter(
    {
        "http": PlayingNow(KeptThreads(django_application)),
        "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter(websocket_routes))),
    }
)
