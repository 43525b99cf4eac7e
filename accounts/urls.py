"""URLs of the players' pages; allauth's are under ``/accounts/``."""

from __future__ import annotations

from django.urls import path

from accounts import views
from accounts.profile import avatars, calendar_feed, invitations
from accounts.push import views as push
from accounts.sign_in import reauthentication

app_name = "players"

urlpatterns = [
    path("avatars/<slug:digest>.svg", avatars.avatar, name="avatar"),
    path("language/", views.language, name="language"),
    path("deals-shown/", views.deals, name="deals"),
    path("join/<str:token>/", invitations.join, name="join"),
    path("join/<str:token>/accept", invitations.accept, name="accept"),
    path("players/", views.search, name="search"),
    path("players/me/", views.me, name="me"),
    path("players/me/invite/", invitations.invite, name="invite"),
    path("players/me/following/", views.following, name="following"),
    path("players/me/settings/", views.settings, name="settings"),
    path("players/me/name/", views.rename, name="rename"),
    path("players/me/preferences/", views.preferences, name="preferences"),
    path("players/me/calendar/", calendar_feed.change, name="calendar"),
    path("players/me/push/", push.device, name="push"),
    path("players/me/push/race/<int:hour>/", push.race, name="push_race"),
    path("players/push/renewed/", push.renewed, name="push_renewed"),
    path("calendar/<str:token>.ics", calendar_feed.feed, name="calendar_feed"),
    path("players/me/data/", views.download, name="download"),
    path("players/me/delete/", views.delete, name="delete"),
    path("players/me/again/", reauthentication.page, name="sign_in_again"),
    path("players/<uuid:public_id>/", views.player, name="profile"),
    path("players/<uuid:public_id>/year/", views.year, name="this_year"),
    path("players/<uuid:public_id>/year/<int:number>/", views.year, name="year"),
    path("players/<uuid:public_id>/vs/<uuid:other_id>/", views.compare, name="compare"),
    path("players/<uuid:public_id>/history/", views.history, name="history"),
    path("players/<uuid:public_id>/ratings/", views.ratings, name="ratings"),
    path("players/<uuid:public_id>/puzzle-ratings/", views.puzzle_ratings, name="puzzle_ratings"),
    path("players/<uuid:public_id>/follow/", views.follow, name="follow"),
    path("players/<uuid:public_id>/unfollow/", views.unfollow, name="unfollow"),
]
