"""Django app configuration for analyses."""

from __future__ import annotations

from django.apps import AppConfig


class AnalysisConfig(AppConfig):
    """Configuration of the analysis app."""

    name = "games.analysis"
    label = "analysis"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Analyses"
