"""Redaction of log events: hides secrets and hidden cards, by name and by pattern."""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from typing import Any, Final

HIDDEN = "[hidden]"
SECRET_NAMES = frozenset(
    {
        *("authorization", "cookie", "set-cookie", "csrfmiddlewaretoken", "sessionid", "secret", "secret_key", "token"),
        *("password", "password1", "password2", "oldpassword", "webhook_url"),
        *("deck", "position", "record", "seed", "solution", "stock", "view"),
    }
)
PUBLIC_DIGESTS = frozenset({"commitment"})

#: Longer texts lose their middle before they are searched, since visitors control much of what is logged.
MAX_TEXT: Final = 8_000
#: Extra characters cut on both sides: half a secret may be left there, and no pattern matches half a seed.
CUT_MARGIN: Final = 512
CUT: Final = "[cut]"

# A seed is 64 hexadecimal digits, and a deck is a long row of cards. A reset link, the password in a URL or another
# service's callback opens an account; a calendar or an invitation belongs to its player, and a room's webhook to its
# host. Links appear as paths and, encoded, within the addresses of other pages.
# Each pattern takes time linear in the length of the text: runs are possessive (`++`), and a match starts only where
# one can.
SEED = re.compile(r"\b[0-9a-fA-F]{64}\b")
CARDS = re.compile(r"(?:\b[A-Z0-9]{2,3}+\b['\", ]++){7,}\b[A-Z0-9]{2,3}+\b")
SECRET_LINK = re.compile(
    r"((?:/|%2F)(?:password(?:/|%2F)reset(?:/|%2F)key|webhooks(?:/|%2F)[0-9]++|confirm-email|calendar|join)(?:/|%2F))"
    r"[^/\s?&#]++",
    re.IGNORECASE,
)
SECRET_QUERY = re.compile(r"([?&](?:code|key|state|token)=)[^&\s#]++", re.IGNORECASE)
URL_PASSWORD = re.compile(r"(://[^:/@\s]*+:)[^@/\s]++@")


def hide_secrets(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Hide secrets: values by name at any depth, text by pattern."""
    for name, value in event.items():
        event[name] = _shown(name, value)
    return event


def _shown(name: str, value: object) -> object:
    if name.lower() in SECRET_NAMES or isinstance(value, bytes | bytearray | memoryview):
        return HIDDEN
    if isinstance(value, dict):
        return {key: _shown(str(key), inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return _shown(name, " ".join(value)) if _is_cards(value) else [_shown(name, inner) for inner in value]
    if name in PUBLIC_DIGESTS or value is None or isinstance(value, bool | int | float):
        return value
    return _clean(str(value))


def _is_cards(values: list[Any] | tuple[Any, ...] | set[Any] | frozenset[Any]) -> bool:
    return len(values) > 7 and all(isinstance(value, str) and len(value) <= 3 for value in values)


def _clean(text: str) -> str:
    if len(text) > MAX_TEXT:
        head, tail = text[: MAX_TEXT // 2], text[-MAX_TEXT // 2 :]
        return f"{_without_secrets(head)[:-CUT_MARGIN]}{CUT}{_without_secrets(tail)[CUT_MARGIN:]}"
    return _without_secrets(text)


def _without_secrets(text: str) -> str:
    text = SEED.sub(HIDDEN, text)
    text = CARDS.sub(HIDDEN, text)
    text = SECRET_LINK.sub(rf"\1{HIDDEN}", text)
    text = SECRET_QUERY.sub(rf"\1{HIDDEN}", text)
    return URL_PASSWORD.sub(rf"\1{HIDDEN}@", text)
