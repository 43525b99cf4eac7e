"""The Django application of analyses."""

from __future__ import annotations

from django.apps import AppConfig


class AnalysisConfig(AppConfig):
    """Analyses of finished games."""

    name = "games.analysis"
    label = "analysis"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Analyses"
