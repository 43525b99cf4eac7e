"""WebSocket routes of the boards."""

from __future__ import annotations

from typing import Any, cast

from django.urls import path

from leaderboards.boards.consumer import watch

websocket_urlpatterns = [path("ws/board/<int:deal>/", cast("Any", watch))]
