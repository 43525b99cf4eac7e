"""The Django application of replays."""

from __future__ import annotations

from django.apps import AppConfig


class ReplaysConfig(AppConfig):
    """Games that go on from a replay, and animated pictures."""

    name = "games.replays"
    label = "replays"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Replays"
