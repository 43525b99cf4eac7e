"""Django app configuration for deals, attempts and play."""

from __future__ import annotations

from django.apps import AppConfig


class GamesConfig(AppConfig):
    """Configuration of the games app."""

    name = "games"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Games"

    def ready(self) -> None:
        """Register the system checks, and a presence reporter for the tables of this process."""
        # These modules need models, which are not loaded before this point.
        from games.db import migration_check  # noqa: F401, PLC0415
        from games.live.table_registry import companion_factories  # noqa: PLC0415
        from games.presence.heartbeat import Reporter  # noqa: PLC0415

        companion_factories.register(Reporter.begin)
