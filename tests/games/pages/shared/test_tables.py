"""Tables whose rows become cards on a phone."""

from __future__ import annotations

import re

from django.template import Context, Template

TABLE = """{% load tables %}{% stacked %}<table class="met"><thead><tr>
  <th scope="col">Race</th><th class="number">{{ name }}</th><th><span class="visually-hidden">Replay</span></th>
</tr></thead>
<tbody><tr class="me"><th scope="row">The Plot</th><td>1</td><td><a href="/">Replay</a></td></tr>
<tr><td colspan="3">No one yet.</td></tr></tbody></table>{% endstacked %}"""


def test_cells_have_their_heading_and_all_parts_a_role() -> None:
    shown = Template(TABLE).render(Context({"name": 'Tom & "Jerry"'}))
    assert re.findall(r'<(\w+)[^>]* role="(\w+)"', shown) == [
        ("table", "table"),
        ("thead", "rowgroup"),
        ("tr", "row"),
        *[("th", "columnheader")] * 3,
        ("tbody", "rowgroup"),
        ("tr", "row"),
        ("th", "rowheader"),
        *[("td", "cell")] * 2,
        ("tr", "row"),
        ("td", "cell"),
    ]
    assert re.findall(r'<td[^>]* data-label="([^"]*)">(.*?)</td>', shown) == [("Tom &amp; &quot;Jerry&quot;", "1")]
    assert '<tr class="me" role="row">' in shown
