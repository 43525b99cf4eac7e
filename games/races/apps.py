"""Django application configuration of races."""

from __future__ import annotations

from django.apps import AppConfig


class RacesConfig(AppConfig):
    """Django application for rooms, races and entrants."""

    name = "games.races"
    label = "races"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Races"

    def ready(self) -> None:
        """Register for the ends of race attempts, and for the racers' open tables."""
        # These modules need models, which are only loaded by now.
        from games.attempts import lifecycle  # noqa: PLC0415
        from games.live.table_registry import companion_factories  # noqa: PLC0415
        from games.races import finishing  # noqa: PLC0415
        from games.races.live.lane_reports import LaneReporter  # noqa: PLC0415

        lifecycle.race_attempt_closed.register(finishing.record_closed)
        companion_factories.register(LaneReporter)
