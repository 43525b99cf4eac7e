"""Why a verdict is what it is, as it is stored and shown."""

from __future__ import annotations

from typing import Any

Reason = dict[str, Any]


def reason(code: str, message: str, **data: object) -> Reason:
    """A reason as it is stored and shown: a code, a sentence, and what it speaks of."""
    return {"code": code, "message": message, **data}
