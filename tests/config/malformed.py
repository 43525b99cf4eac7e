"""Hostile requests: every address of the site, and malformed bodies, queries and paths."""

from __future__ import annotations

import itertools
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from django.urls import URLPattern, URLResolver, get_resolver

FIELDS = (
    *("record", "file", "name", "deal", "option-redeals", "option-direction", "n", "language", "theme", "card_face"),
    *("login", "username", "email", "password", "password1", "password2", "next", "code", "action", "pk", "credential"),
    *("query", "q", "p", "o", "e", "day", "until", "variant", "board", "before", "cursor", "limit", "span", "way"),
    *("page", "month", "deals", "csrfmiddlewaretoken", "_changelist_filters", "_popup", "_to_field", "app_label"),
    *("model_name", "field_name", "term"),
)
VALUES = {
    # Deep enough for every parser, and short enough for every form field.
    "deep JSON": "[" * 8_000,
    "a deep object": '{"n":' * 3_000,
    "NUL": "a\x00b",
    "a huge number": "9" * 4_000,
    "a number too large to read": "9" * 5_000,
    "half a character": '"\\ud800"',
    "no number": "NaN",
    "infinity": "1e999",
    "a list": '[{"a": null}]',
    "half a passkey": '{"id": "a", "rawId": "*", "response": {"clientDataJSON": "a", "userHandle": "\\ud800"}}',
    "a passkey of garbage": '{"id": 1, "rawId": 1, "type": "public-key", "response": {"attestationObject": "AAAA"}}',
    "a negative number": "-1",
    "beyond 64 bits": "99999999999999999999",
    "a strange day": "2026-02-30",
    "the last day": "9999-12-31",
    "the first day": "0001-01-01",
}
BOUNDARY = "multipart/form-data; boundary=B"


@dataclass(frozen=True)
class Hostile:
    body: bytes
    content_type: str


def _part(name: str, value: bytes, filename: str = "") -> bytes:
    file = f'; filename="{filename}"' if filename else ""
    return f'--B\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'.encode() + value + b"\r\n"


def bodies() -> dict[str, Hostile]:
    """Return bodies by name: each hostile value in each format, and malformed bodies."""
    found = {}
    for name, value in VALUES.items():
        raw = value.encode()
        fields = dict.fromkeys(FIELDS, value)
        found[f"{name} as JSON"] = Hostile(raw, "application/json")
        form = urlencode(fields, safe='[]{}":').encode()
        found[f"{name} in a form"] = Hostile(form, "application/x-www-form-urlencoded")
        options = urlencode({"name": "braid", "option-redeals": value}, safe='[]{}":').encode()
        found[f"{name} in a form of options"] = Hostile(options, "application/x-www-form-urlencoded")
        parts = b"".join(_part(field, raw) for field in FIELDS)
        found[f"{name} in a form with files"] = Hostile(parts + _part("file", raw, "a.json") + b"--B--\r\n", BOUNDARY)
    invalid = b"\xff\xfe\x80"
    escaped = "&".join(f"{field}=%ff%00%c3" for field in FIELDS).encode()
    return found | {
        "nothing": Hostile(b"", "application/json"),
        "invalid UTF-8 as JSON": Hostile(b'{"n": "' + invalid + b'"}', "application/json"),
        "invalid UTF-8 in a form": Hostile(escaped, "application/x-www-form-urlencoded"),
        "invalid UTF-8 in a file": Hostile(_part("file", invalid, "a") + b"--B--\r\n", BOUNDARY),
        "an unknown charset": Hostile(b"{}", "application/json; charset=nonsense"),
        "a form of an unknown charset": Hostile(b"name=a", "application/x-www-form-urlencoded; charset=nonsense"),
        "a form in UTF-16": Hostile(b"name=a", "application/x-www-form-urlencoded; charset=utf-16"),
        "no content type": Hostile(b"{}", ""),
        "a strange content type": Hostile(b"{}", "text/\xe9;;=;"),
        "a form with files without a boundary": Hostile(b"--B", "multipart/form-data"),
        "a form with files with a bad boundary": Hostile(b"--B", "multipart/form-data; boundary=" + "b" * 300),
        "half a form with files": Hostile(_part("record", b"a")[:-9], BOUNDARY),
        "a form with files of garbage": Hostile(invalid * 100, BOUNDARY),
        "bad base64": Hostile(b"--B\r\nContent-Transfer-Encoding: base64\r\n" + _part("name", b"*")[5:], BOUNDARY),
        "many fields": Hostile(b"&".join(b"a%d=1" % n for n in range(2_000)), "application/x-www-form-urlencoded"),
        "too large a body": Hostile(b"name=" + b"a" * (1024 * 1024 + 1), "application/x-www-form-urlencoded"),
        "too large a JSON": Hostile(b'"' + b"a" * (1024 * 1024 + 1), "application/json"),
    }


def queries() -> Iterator[str]:
    """Yield each hostile value in all parameters, short enough for a request line."""
    for value in VALUES.values():
        yield urlencode(dict.fromkeys(FIELDS, value[:60]))
    yield "&".join(f"{field}=%ff%00" for field in FIELDS)


def patterns(resolver: URLResolver | None = None, before: str = "") -> Iterator[tuple[str, URLPattern]]:
    for entry in (resolver or get_resolver()).url_patterns:
        text = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from patterns(entry, text)
        else:
            yield text, entry


def addresses(values: dict[str, Any]) -> dict[str, str]:
    """Return an address for every pattern, by the pattern's text; missing parameters get made-up values."""
    some = str(uuid.uuid4())
    known = {
        "uuid": some,
        "uuidstr": some,
        "period": "week",
        "int": "1",
        "day": "2026-11-20",
        "month": "2026-11",
        "run": "storm",
    }

    def fill(part: re.Match[str]) -> str:
        converter, name = part[1] or part[2], part[2]
        return str(values.get(name, known.get(converter, "1")))

    found = {}
    for text, _ in patterns():
        filled = re.sub(r"<(?:(\w+):)?(\w+)>", fill, re.sub(r"\(\?P(<\w+>)(?:\[[^\]]*\]|[^)])*\)", r"\1", text))
        found[text] = "/" + re.sub(r"[\^$?]|\\Z|\(|\)|\.\*", "", filled).replace("\\", "")
    return found


def strange_paths() -> list[str]:
    names = ["nowhere", "a\x00b", "é", "..", "%", "\ud7ff", "a" * 3_000, "<script>", "{{7}}"]
    return [f"/{before}{quote(name)}/" for before, name in itertools.product(["", "play/", "rules/", "api/v1/"], names)]
