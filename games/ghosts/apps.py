"""Django application of ghosts and challenges."""

from __future__ import annotations

from django.apps import AppConfig


class GhostsConfig(AppConfig):
    """Challenges, and notices on the site."""

    name = "games.ghosts"
    label = "ghosts"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Ghosts and challenges"
