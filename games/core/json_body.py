"""JSON parsing for untrusted input; every failure is a `ValueError`."""

from __future__ import annotations

import json
from typing import Any, Final

from django.http import HttpRequest, RawPostDataException

#: A whole record of 5,000 tokens is about 120 kB of JSON.
MAX_RECORD_BYTES: Final = 256 * 1024


def parse_json(text: str | bytes) -> Any:  # noqa: ANN401 - whatever was sent
    """Parse JSON.

    :raises ValueError: when the text is not JSON, is not UTF-8, or is nested too deeply.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def json_body(request: HttpRequest) -> Any:  # noqa: ANN401 - whatever was sent
    """Parse the body of a request as JSON.

    :raises ValueError: when it is not JSON, or is a form with files, which Django has already consumed.
    """
    try:
        return parse_json(request.body)
    except RawPostDataException:
        raise ValueError("a form instead of JSON") from None
