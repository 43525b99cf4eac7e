"""URLs of the boards' pages."""

from __future__ import annotations

from django.urls import path, register_converter
from django.urls.converters import StringConverter

import games.presentation.url_converters  # noqa: F401 - days in paths
from leaderboards import views
from leaderboards.models import Season


class PeriodConverter(StringConverter):
    """URL converter for the length of a season."""

    regex = "|".join(Season.Period.values)


register_converter(PeriodConverter, "period")

app_name = "boards"

urlpatterns = [
    path("boards/", views.index, name="index"),
    path("boards/rating/", views.rating_board, name="rating"),
    path("boards/records/", views.records_page, name="records"),
    path("boards/<period:period>/", views.season_page, name="period"),
    path("boards/<day:day>/<slug:variant>/", views.deal_board, name="deal"),
    path("boards/<day:day>/<slug:variant>/pace.json", views.pace, name="pace"),
    path("table/<uuid:attempt>/after/", views.after_game, name="after"),
]
