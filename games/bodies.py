"""What visitors send as JSON: one way to read it, which fails in one way."""

from __future__ import annotations

import json
from typing import Any, Final

from django.http import HttpRequest, RawPostDataException

#: A whole record of 5,000 tokens is about 120 kB of JSON.
MAX_RECORD_BYTES: Final = 256 * 1024


def parse_json(text: str | bytes) -> Any:  # noqa: ANN401 - whatever was sent
    """The value that a text stands for.

    :raises ValueError: for what is not JSON, is not UTF-8, or is nested too deeply to be read.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def json_body(request: HttpRequest) -> Any:  # noqa: ANN401 - whatever was sent
    """The value that the body of a request stands for.

    :raises ValueError: when it is not JSON; a form with files has been read as one before.
    """
    try:
        return parse_json(request.body)
    except RawPostDataException:
        raise ValueError("a form instead of JSON") from None
