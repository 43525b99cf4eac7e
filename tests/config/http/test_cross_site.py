"""Policy headers, and access from other sites and programs: reads from any origin, with ETags, as documented."""

from __future__ import annotations

import io
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from config.api import api
from games.deals import ledger
from games.rules import CATALOGUE, GAMES, open_table
from leaderboards.boards.rank_keys import BoardScore
from tests import factories
from tests.factories import make_deal

pytestmark = pytest.mark.django_db

GUIDE = (Path(__file__).resolve().parents[3] / "docs" / "api.md").read_text()
ELSEWHERE = {"origin": "https://other.example"}


def test_any_origin_may_read_the_api_without_cookies(client: Client) -> None:
    answer = client.get("/api/v1/variants", headers=ELSEWHERE)
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in answer
    assert "etag" in answer["Access-Control-Expose-Headers"].lower()
    refused = client.get("/api/v1/deals/999999", headers=ELSEWHERE)
    assert (refused.status_code, refused["Access-Control-Allow-Origin"]) == (404, "*")


def test_other_origins_may_only_read(client: Client) -> None:
    asked = {**ELSEWHERE, "access-control-request-method": "POST"}
    allowed = client.options("/api/v1/verify", headers=asked)["Access-Control-Allow-Methods"]
    assert {method.strip() for method in allowed.split(",")} == {"GET", "HEAD", "OPTIONS"}


@pytest.mark.parametrize("path", ["/", "/ledger/", "/verify/", "/players/me/data/"])
def test_other_origins_can_read_nothing_else(client: Client, path: str) -> None:
    assert "Access-Control-Allow-Origin" not in client.get(path, headers=ELSEWHERE)


def test_an_unchanged_answer_is_not_sent_again(client: Client) -> None:
    deal = make_deal("plot", day=timezone.now().date())
    first = client.get("/api/v1/deals")
    again = client.get("/api/v1/deals", headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    deal.grade = 3
    deal.save()
    changed = client.get("/api/v1/deals", headers={"if-none-match": first["ETag"]})
    assert (changed.status_code, changed.json()[0]["grade"]) == (200, 3)


def test_head_equals_get_without_the_body(client: Client) -> None:
    make_deal("plot", day=timezone.now().date())
    whole, head = client.get("/api/v1/deals"), client.head("/api/v1/deals")
    assert (head.status_code, head.content) == (200, b"")
    for name in ("Content-Type", "Content-Length", "ETag"):
        assert head[name] == whole[name]
    assert client.head("/api/v1/deals", headers={"if-none-match": whole["ETag"]}).status_code == 304
    assert client.head("/api/v1/verify").status_code == 405
    assert client.head("/api/v1/deals/999999").status_code == 404


def test_pages_have_no_etag(client: Client) -> None:
    """Each page has its own token, so an ETag would never match, and would need the whole page rendered."""
    assert "ETag" not in client.get("/verify/")


def test_the_variants_match_the_rules(client: Client) -> None:
    told = {one["variant"]: one for one in client.get("/api/v1/variants").json()}
    assert list(told) == list(CATALOGUE)
    for name, variant in CATALOGUE.items():
        one = told[name]
        assert (one["game"], one["options"]) == (variant.game, dict(variant.options))
        assert {option["name"]: option["choices"] for option in one["game_options"]} == {
            option.name: list(option.choices) for option in GAMES[variant.game].OPTIONS
        }
        assert one["goal"] == open_table(name, bytes(32)).view()["goal"]
        assert one["title"]


def test_the_ledger_is_read_line_by_line(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    for variant in ("plot", "braid", "tarot"):
        ledger.append(make_deal(variant, day=timezone.now().date()))
    monkeypatch.setattr(ledger, "MOST_LINES", 2)
    first = client.get("/api/v1/ledger").json()
    rest = client.get("/api/v1/ledger", {"first": first["next"]}).json()
    assert [entry["index"] for entry in first["entries"] + rest["entries"]] == [0, 1, 2]
    assert rest["next"] is None
    assert {entry["seed"] for entry in first["entries"]} == {None}
    assert client.get("/api/v1/ledger", {"first": -1}).status_code == 422


def test_the_guide_names_existing_addresses() -> None:
    paths = {re.sub(r"\{[^}]*\}", "<>", path).removeprefix("/api/v1") for path in api.get_openapi_schema()["paths"]}
    table = GUIDE.partition("## Endpoints")[2].partition("## Python")[0]
    named = {re.sub(r"<[^>]*>", "<>", path) for path in re.findall(r"`(?:POST )?(/[^`?]*)", table)}
    assert len(named) > 10
    assert named <= paths


def test_the_guides_python_example_runs(client: Client, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    day = re.search(r'leaders\("([\d-]+)"\)', program)
    assert day
    deal = make_deal("plot", day=date.fromisoformat(day[1]))
    factories.listed(
        deal, BoardScore(cards_up=52, elapsed_ms=60_000, tokens=90), who=User.objects.create_user("Ariadne")
    )

    def urlopen(address: str) -> io.BytesIO:
        answer = client.get(address.removeprefix("https://talon.example"))
        assert answer.status_code == 200
        return io.BytesIO(answer.content)

    monkeypatch.setattr("urllib.request.urlopen", urlopen)
    exec(program, {})
    assert capsys.readouterr().out == "plot: Ariadne\n"


@pytest.mark.parametrize("path", ["/", "/nowhere/", "/api/v1/deals"])
def test_policies_allow_no_inline_script_and_no_devices_but_passkeys(client: Client, path: str) -> None:
    headers = client.get(path).headers
    contents = set(headers["Content-Security-Policy"].split("; "))
    assert {"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"} <= contents
    policy = headers["Permissions-Policy"].split(", ")
    assert {"camera=()", "microphone=()", "geolocation=()", "payment=()"} <= set(policy)
    assert not any(feature.startswith(("publickey-credentials", "clipboard", "web-share")) for feature in policy)
