"""WebSocket URL patterns of the games."""

from __future__ import annotations

from typing import Any, cast

from django.urls import path

from games.live.play_consumer import play
from games.presence.lanes_consumer import watch as watch_lanes
from games.races.live.room_consumer import race

websocket_urlpatterns = [
    path("ws/play/<uuid:attempt>/", cast("Any", play)),
    path("ws/race/<slug:code>/", cast("Any", race)),
    path("ws/lanes/<int:deal>/", cast("Any", watch_lanes)),
]
