"""Django app configuration for replays."""

from __future__ import annotations

from django.apps import AppConfig


class ReplaysConfig(AppConfig):
    """Configuration of the replays app."""

    name = "games.replays"
    label = "replays"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Replays"
