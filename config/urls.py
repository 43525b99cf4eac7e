"""URL configuration, except /healthz, /readyz and /metrics, which `config.observability` serves."""

from __future__ import annotations

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from accounts.sign_in.reauthentication import first_password
from config.api import api
from config.assets.service_worker import worker
from config.assets.webmanifest import manifest

urlpatterns: list[URLPattern | URLResolver] = [
    path("accounts/password/set/", first_password, name="account_set_password"),  # before allauth's own
    path("accounts/", include("allauth.account.urls")),
    path("accounts/2fa/", include("allauth.mfa.urls")),
    path("accounts/sessions/", include("allauth.usersessions.urls")),
    path("accounts/3rdparty/", include("allauth.socialaccount.urls")),
    path("accounts/", include("accounts.sign_in.provider_urls")),
    path("admin/", admin.site.urls),
    path("api/v1/", api.urls),
    path("manifest.<str:language>.webmanifest", manifest, name="manifest"),
    path("worker.js", worker, name="worker"),
    path("", include("games.urls")),
    path("", include("leaderboards.urls")),
    path("", include("accounts.urls")),
]

handler400 = "config.http.error_pages.bad_request"
handler403 = "config.http.error_pages.permission_denied"
handler404 = "config.http.error_pages.not_found"
handler429 = "config.http.error_pages.too_many_requests"  # allauth's name for it
handler500 = "config.http.error_pages.server_error"
