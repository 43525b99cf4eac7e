"""The Django application that holds deals, attempts and play."""

from __future__ import annotations

from django.apps import AppConfig


class GamesConfig(AppConfig):
    """Deals, attempts and play."""

    name = "games"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Games"

    def ready(self) -> None:
        """Say at every process's tables who is playing there, and register the checks."""
        # These modules need models, which are there only now.
        from games import checks  # noqa: F401, PLC0415
        from games.live.tables import register_companion  # noqa: PLC0415
        from games.presence.reporting import Reporter  # noqa: PLC0415

        register_companion(Reporter.begin)
