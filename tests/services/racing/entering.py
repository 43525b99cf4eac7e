"""The way into a room over HTTP: a player opens its page and presses the button that takes a seat."""

from __future__ import annotations

import asyncio
import itertools
from http.client import HTTPConnection, HTTPException
from http.cookies import SimpleCookie
from urllib.parse import urlencode

from tests.services.racing.watching import PATIENCE, PAUSE, WITHIN, Watcher


async def take_seat(visitor: Watcher, ports: list[int]) -> None:
    """Take a seat in the visitor's room, from whichever web process answers."""
    tries = itertools.islice(itertools.cycle(ports), visitor.number, visitor.number + round(WITHIN / PAUSE))
    for port in tries:
        if await asyncio.to_thread(_try_to_sit, visitor, port):
            return
        await asyncio.sleep(PAUSE)
    raise TimeoutError(f"no seat for visitor {visitor.number}")


def _try_to_sit(visitor: Watcher, port: int) -> bool:
    page = f"/races/{visitor.code}/"
    cookies = {"sessionid": visitor.session}
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE, source_address=(visitor.address, 0))
    try:
        connection.request("GET", page, headers=_cookie_header(cookies))
        response = connection.getresponse()
        response.read()
        for cookie in response.headers.get_all("Set-Cookie", []):
            cookies |= {key: morsel.value for key, morsel in SimpleCookie(cookie).items()}
        form = urlencode({"csrfmiddlewaretoken": cookies.get("csrftoken", "")})
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        connection.request("POST", f"{page}sit", form, _cookie_header(cookies) | kind)
        response = connection.getresponse()
        response.read()
        return response.status == 302 and response.headers["Location"] == page
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _cookie_header(cookies: dict[str, str]) -> dict[str, str]:
    return {"Cookie": "; ".join(f"{key}={value}" for key, value in cookies.items())}
