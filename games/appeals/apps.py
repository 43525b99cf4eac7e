"""Django application of appeals and reports."""

from __future__ import annotations

from django.apps import AppConfig


class AppealsConfig(AppConfig):
    """Appeals and reports, which players send to staff."""

    name = "games.appeals"
    label = "appeals"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Appeals and reports"
