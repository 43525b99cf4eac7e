"""The leaderboards application."""

from __future__ import annotations

from django.apps import AppConfig


class LeaderboardsConfig(AppConfig):
    """Results, boards and the settlement of verdicts."""

    name = "leaderboards"
    default_auto_field = "django.db.models.BigAutoField"
