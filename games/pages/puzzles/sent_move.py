"""Body of a request that plays a move at a puzzle."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from games.core.errors import ErrorCode, Refusal
from games.core.json_body import json_body


def move_of(request: HttpRequest, *places: str, **defaults: int) -> tuple[tuple[int, ...], str]:
    """Return the numbers that say where the move is played, such as `turn`, those with defaults last, and its token.

    :raises Refusal: BAD_REQUEST if the body is not such a JSON object.
    """
    try:
        body: Any = defaults | json_body(request)
        numbers, token = tuple(body[name] for name in (*places, *defaults)), body["token"]
    except (ValueError, KeyError, TypeError):
        numbers, token = (), None
    if not numbers or any(type(number) is not int for number in numbers) or not isinstance(token, str):
        raise Refusal(ErrorCode.BAD_REQUEST, f'send a JSON object with {", ".join(places)} (numbers) and "token"')
    return numbers, token
