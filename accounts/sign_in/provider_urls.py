"""OAuth URLs: redirect to a service and callback from it. Services without keys answer 404."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.socialaccount.providers.discord import views as discord
from allauth.socialaccount.providers.github import views as github
from allauth.socialaccount.providers.google import views as google
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import path

from games.core import limits

View = Callable[..., HttpResponseBase]


def _if_configured(service: str, view: View) -> View:
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:  # noqa: ANN401 - as the view has them
        if service not in settings.SOCIALACCOUNT_PROVIDERS:
            raise Http404
        limits.spend(request, "service")  # the callback makes a blocking request to the service
        return view(request, *args, **kwargs)

    return guarded


urlpatterns = [
    path(f"{service}/{address}", _if_configured(service, view), name=f"{service}_{name}")
    for service, module in (("google", google), ("github", github), ("discord", discord))
    for address, name, view in (
        ("login/", "login", module.oauth2_login),
        ("login/callback/", "callback", module.oauth2_callback),
    )
]
