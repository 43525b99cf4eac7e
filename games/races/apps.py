"""The Django application of races."""

from __future__ import annotations

from django.apps import AppConfig


class RacesConfig(AppConfig):
    """Rooms, races and those who take part."""

    name = "games.races"
    label = "races"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Races"

    def ready(self) -> None:
        """Hear of every attempt of a race that ends, and of every racer's table that is open."""
        # These modules need models, which are there only now.
        from games import attempts  # noqa: PLC0415
        from games.live.tables import register_companion  # noqa: PLC0415
        from games.races import finishing  # noqa: PLC0415
        from games.races.lanes import Lanes  # noqa: PLC0415

        attempts.register(finishing.closed)
        register_companion(Lanes.begin)
