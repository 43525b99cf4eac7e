"""The WebSocket addresses of the games."""

from __future__ import annotations

from typing import Any, cast

from django.urls import path

from games.live.consumer import play

websocket_urlpatterns = [path("ws/play/<uuid:attempt>/", cast("Any", play))]
