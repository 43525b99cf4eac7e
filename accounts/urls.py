"""URLs of the players' pages; allauth's are under ``/accounts/``."""

from __future__ import annotations

from django.urls import path

from accounts import views

app_name = "players"

urlpatterns = [
    path("language/", views.language, name="language"),
    path("players/me/", views.me, name="me"),
    path("players/me/following/", views.following, name="following"),
    path("players/me/settings/", views.settings, name="settings"),
    path("players/me/name/", views.rename, name="rename"),
    path("players/me/preferences/", views.preferences, name="preferences"),
    path("players/me/data/", views.download, name="download"),
    path("players/me/delete/", views.delete, name="delete"),
    path("players/<uuid:public_id>/", views.player, name="profile"),
    path("players/<uuid:public_id>/history/", views.history, name="history"),
    path("players/<uuid:public_id>/follow/", views.follow, name="follow"),
    path("players/<uuid:public_id>/unfollow/", views.unfollow, name="unfollow"),
]
