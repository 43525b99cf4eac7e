"""Template tag for tables whose rows become cards on a phone."""

from __future__ import annotations

import re
from typing import Final

from django import template
from django.utils.html import strip_tags
from django.utils.safestring import SafeString

register = template.Library()

_TAG: Final = re.compile(r"<(table|thead|tbody|tfoot|tr|th|td)\b([^>]*)>")
_HEADING: Final = re.compile(r"<th\b[^>]*>(.*?)</th>", re.DOTALL)
_HIDDEN: Final = re.compile(r'<span class="visually-hidden">.*?</span>')
_ROLES: Final = {
    "table": "table",
    "thead": "rowgroup",
    "tbody": "rowgroup",
    "tfoot": "rowgroup",
    "tr": "row",
    "th": "columnheader",
    "td": "cell",
}


@register.simple_block_tag
def stacked(content: str) -> SafeString:
    """Give the cells of a table their column's visible heading, and all its parts their roles.

    On a phone, the style sheet shows the headings as labels. Its `display` would hide the table from screen readers
    without the roles.
    """
    headings = [
        strip_tags(_HIDDEN.sub("", heading)).strip().replace('"', "&quot;")
        for heading in _HEADING.findall(content.partition("</thead>")[0])
    ]
    columns = iter(headings)

    def mark(match: re.Match[str]) -> str:
        nonlocal columns
        tag, attributes = match.groups()
        role = "rowheader" if 'scope="row"' in attributes else _ROLES[tag]
        label = ""
        if tag == "tr":
            columns = iter(headings)
        elif tag in {"th", "td"}:
            label = next(columns, "")
        shown = f' data-label="{label}"' if label and role == "cell" and "colspan" not in attributes else ""
        return f'<{tag}{attributes} role="{role}"{shown}>'

    return SafeString(_TAG.sub(mark, content))
