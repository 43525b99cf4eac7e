"""Session middleware for WebSockets: reads the session that the cookie names, and the player signed in to it.

Channels' own middleware has three layers; its session layer intercepts every frame sent, and its database reads share
one thread per process. Here session and user are read together in a thread pool when the connection opens; later
session checks use the same function.
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import Any, Final

from channels.auth import UserLazyObject, get_user
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.contrib.sessions.backends.base import SessionBase
from django.db import Error
from django.http import parse_cookie

from games.core.asgi_types import Application, Receive, Scope, Send
from games.live.loader import off_loop
from games.live.protocol import CLOSE_DATABASE_DOWN
from games.live.sockets.ownership import turn_away

log = logging.getLogger(__name__)

_get_user: Final[Any] = get_user.func  # type: ignore[attr-defined] # bypasses Channels' single thread


def session_of(key: str | None) -> SessionBase:
    """Return the session with this key, without reading it yet."""
    session: SessionBase = import_module(settings.SESSION_ENGINE).SessionStore(key)
    return session


@off_loop
def user_of(session: SessionBase) -> AbstractBaseUser | AnonymousUser:
    """Return the user signed in to a session; a ban, a sign-out everywhere or a new password invalidates old sessions.

    :raises Error: if the database fails.
    """
    found: AbstractBaseUser | AnonymousUser = _get_user({"session": session})
    return found


class Visitors:
    """ASGI middleware that adds `cookies`, `session` and `user` to the scope."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        cookie = next((value for name, value in scope["headers"] if name == b"cookie"), b"")
        cookies: dict[str, str] = parse_cookie(cookie.decode("latin1"))
        session = session_of(cookies.get(settings.SESSION_COOKIE_NAME))
        user: Any = UserLazyObject()
        try:
            user._wrapped = await user_of(session)  # noqa: SLF001 - how a lazy object is filled and emptied
        except Error:
            log.warning("session not read", exc_info=True)
            await turn_away(receive, send, CLOSE_DATABASE_DOWN)
            return
        await self._application({**scope, "cookies": cookies, "session": session, "user": user}, receive, send)
