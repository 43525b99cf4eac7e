"""The Django application that holds deals, attempts and play."""

from __future__ import annotations

from django.apps import AppConfig


class GamesConfig(AppConfig):
    """Deals, attempts and play."""

    name = "games"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Games"
