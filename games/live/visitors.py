"""Whose connection a WebSocket is: the session that its cookie names, and the player who is signed in there.

Channels has middleware for this, in three layers, whose session watches every frame that is sent and whose reading is
done in one thread for the whole process. Here both are read at once, in any thread, when the connection is made; who
asks again later uses the same function.
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

from games.live.capacity import Application, Receive, Scope, Send, turn_away
from games.live.loading import off_loop
from games.live.protocol import CLOSE_DATABASE_AWAY

log = logging.getLogger(__name__)

_read: Final[Any] = get_user.func  # type: ignore[attr-defined] # without the thread that Channels has it done in


def session_of(key: str | None) -> SessionBase:
    """The session of that key, not read yet."""
    session: SessionBase = import_module(settings.SESSION_ENGINE).SessionStore(key)
    return session


@off_loop
def user_of(session: SessionBase) -> AbstractBaseUser | AnonymousUser:
    """Who is signed in there. A session from before a ban, a sign-out everywhere or a new password ends here.

    :raises Error: when the database fails.
    """
    found: AbstractBaseUser | AnonymousUser = _read({"session": session})
    return found


class Visitors:
    """Puts `cookies`, `session` and `user` into the scope of each connection."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        cookies = _cookies(scope)
        session = session_of(cookies.get(settings.SESSION_COOKIE_NAME))
        user: Any = UserLazyObject()
        try:
            user._wrapped = await user_of(session)  # noqa: SLF001 - how a lazy object is filled, and emptied again
        except Error:
            log.warning("session not read", exc_info=True)
            await turn_away(receive, send, CLOSE_DATABASE_AWAY)
            return
        await self._application({**scope, "cookies": cookies, "session": session, "user": user}, receive, send)


def _cookies(scope: Scope) -> dict[str, str]:
    heads = [value for name, value in scope["headers"] if name == b"cookie"]
    cookies: dict[str, str] = parse_cookie(heads[0].decode("latin1")) if heads else {}
    return cookies
