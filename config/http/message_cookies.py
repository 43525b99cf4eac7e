"""Message storage whose cookie has this site's prefix."""

from __future__ import annotations

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage


class _Cookie(CookieStorage):
    cookie_name = f"{settings.COOKIE_PREFIX}messages"


class Messages(FallbackStorage):
    """Django's fallback storage with the `__Host-` cookie prefix over https."""

    storage_classes = (_Cookie, SessionStorage)
