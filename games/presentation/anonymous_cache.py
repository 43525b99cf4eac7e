"""Marker for pages that are cached for visitors without a session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from django.conf import settings
from django.http import HttpResponse

#: Cookie of a visitor who has dismissed the newcomers' guide.
GUIDE_COOKIE: Final = f"{settings.COOKIE_PREFIX}talon_guide"
#: Cookie of a visitor who wants to see the ranked games of the day instead of the relaxed ones.
RANKED_COOKIE: Final = f"{settings.COOKIE_PREFIX}talon_ranked"
#: Cookies on which a cached page depends; only their presence counts.
CHOICES: Final = (GUIDE_COOKIE, RANKED_COOKIE)
#: View attribute with the lifetime in seconds of the cached page.
MARK: Final = "cache_for_anonymous"

View = TypeVar("View", bound=Callable[..., HttpResponse])


def cache_for_anonymous(seconds: float) -> Callable[[View], View]:
    """Mark a view whose page, for visitors without a session, depends only on URL, language, day and `CHOICES`.

    The CSRF token and the server time (`data-now`) may differ; `config.page_cache.anonymous` handles them.
    """

    def mark(view: View) -> View:
        setattr(view, MARK, seconds)
        return view

    return mark
