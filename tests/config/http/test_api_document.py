"""The API conforms to its OpenAPI document: Schemathesis sends valid and invalid requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from functools import lru_cache
from typing import Any

import pytest
import schemathesis
from django.core.cache import cache
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from django.utils import timezone
from hypothesis import HealthCheck, given, settings, strategies
from ninja import Schema
from schemathesis import GenerationMode
from schemathesis.checks import load_all_checks
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from config.api import api
from games.models import Attempt
from tests import factories
from tests.factories import make_account, make_deal
from tests.games.puzzles.puzzles import stored_puzzle
from tests.games.races.finished_races import heat
from tests.rules.profile import examples

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
load_all_checks()
ADDRESS = "/api/v1/openapi.json"
SETTINGS = settings(examples(8), derandomize=True, database=None, suppress_health_check=[*HealthCheck])
METHODS = {"get", "post"}
#: Packages that define schemas of our own.
OURS = {"accounts", "config", "games", "leaderboards"}
OPERATIONS = sorted(
    (method, path)
    for path, operations in api.get_openapi_schema()["paths"].items()
    for method in METHODS & set(operations)
)


@pytest.fixture(autouse=True)
def kept_connection() -> Iterator[None]:
    """Keep the test's database connection open between requests, as Django's test client does."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.fixture
def known() -> dict[str, Any]:
    """Path parameters: a past deal, a player on its board, a record and a race of theirs, and a puzzle."""
    deal = make_deal("plot", day=timezone.now().date() - timedelta(days=3))
    player = make_account()
    attempt = factories.finished(deal, player, state=Attempt.State.VERIFIED)
    race = heat(deal.day or attempt.started_at.date(), 11, {player: 3})
    return {
        "race": str(race.public_id),
        "deal_id": deal.pk,
        "player_id": str(player.public_id),
        "other_id": str(make_account().public_id),
        "attempt": str(attempt.public_id),
        "number": stored_puzzle().pk,
    }


@lru_cache
def schema() -> Any:
    return schemathesis.openapi.from_wsgi(ADDRESS, get_wsgi_application())


def _takes_something(method: str, path: str) -> bool:
    """Return whether an operation has parameters or a body that could be malformed."""
    operation = api.get_openapi_schema()["paths"][path][method]
    return bool(operation.get("parameters") or operation.get("requestBody"))


def subject_of(path: str) -> str:
    """Return the part of an address after the version: `boards`, `deals`, ..."""
    return path.split("/")[3]


@pytest.mark.parametrize("subject", sorted({subject_of(path) for _, path in OPERATIONS}))
def test_operations_conform_to_the_document(subject: str, known: dict[str, Any]) -> None:
    """Statuses, content types and bodies are documented, and no request causes a server error."""
    for method, path in OPERATIONS:
        if subject_of(path) == subject:
            for mode in GenerationMode:
                if mode != GenerationMode.NEGATIVE or _takes_something(method, path):
                    send_examples(method, path, mode, known)


def send_examples(method: str, path: str, mode: GenerationMode, known: dict[str, Any]) -> None:
    @SETTINGS
    @given(case=schema()[path][method.upper()].as_strategy(mode), named=strategies.booleans())
    def sends(case: schemathesis.Case[Any], named: bool) -> None:
        cache.clear()
        if named:
            for name, value in known.items():
                if name in case.path_parameters:
                    case.path_parameters[name] = value
        # Cursors must come from a page, and two days may be too far apart, so refusing them is correct. So is ignoring
        # unknown parameters.
        plain = {"Accept-Encoding": "identity"}  # the in-process caller does not decompress
        case.call_and_validate(headers=plain, excluded_checks=[positive_data_acceptance, negative_data_rejection])

    sends()


MALFORMED = (
    *("deals?day=0.0", "deals?day=20261120", "deals?day=1764547200", "deals?day=x", "deals?until=2026-13-01"),
    *("seasons/week?day=5", "seasons/day", "boards/{deal_id}?limit=0", "boards/{deal_id}?limit=x"),
    *("boards/{deal_id}?board=x", "boards/{deal_id}/around/{player_id}?span=-1", "seasons/all?cursor=" + "a" * 501),
    *("races?state=x", "races?cursor=x", "races?limit=101", "heats/standings?period=month", "heats/standings?after=-1"),
    *("players/{player_id}/results?before=5", "players/{player_id}/results?before=1764547200.5"),
)


def test_malformed_parameters_are_refused(client: Any, known: dict[str, Any]) -> None:
    for address in MALFORMED:
        answer = client.get(f"/api/v1/{address.format(**known)}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_parameters"), address


def test_every_status_is_documented() -> None:
    for method, path in OPERATIONS:
        operation = api.get_openapi_schema()["paths"][path][method]
        assert {str(status) for status in operation["responses"]} >= {"200", "400", "401", "404", "405", "422", "429"}
        for status, answer in operation["responses"].items():
            schema = answer["content"]["application/json"]["schema"]
            assert int(status) == 200 or schema == {"$ref": "#/components/schemas/ErrorOut"}, path


def test_no_two_schemas_share_a_name() -> None:
    """In the document, one would replace the other."""
    shapes = [shape for shape in every_kind_of(Schema) if shape.__module__.split(".")[0] in OURS]
    named = Counter(shape.__name__ for shape in shapes)
    documented = api.get_openapi_schema()["components"]["schemas"]
    assert {name: named[name] for name in documented if named[name] > 1} == {}


def every_kind_of(shape: type[Any]) -> Iterator[type[Any]]:
    for kind in shape.__subclasses__():
        yield kind
        yield from every_kind_of(kind)


def test_every_reference_resolves() -> None:
    document = api.get_openapi_schema()
    names = set(references(document))
    assert names
    for name in names:
        assert name.startswith("#/components/schemas/"), name
        assert name.rpartition("/")[2] in document["components"]["schemas"], name


def references(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [name for inner in value.values() for name in references(inner)]
    return [name for inner in value for name in references(inner)] if isinstance(value, list) else []


def test_other_methods_get_the_standard_error(client: Any, known: dict[str, Any]) -> None:
    for method, path in OPERATIONS:
        cache.clear()
        address = path.format(**known, period="week")
        for other in ("PUT", "DELETE", "PATCH", "OPTIONS", "NONSENSE", "GET" if method == "post" else "POST"):
            answer = client.generic(other, address)
            assert (answer.status_code, answer["Allow"]) == (405, "POST" if method == "post" else "GET, HEAD"), path
            assert answer.json()["error"]["code"] == "method_not_allowed", path
        assert client.head(address).status_code == (405 if method == "post" else client.get(address).status_code), path


def test_visitors_get_the_standard_error_for_sign_in(client: Any, known: dict[str, Any]) -> None:
    for path in (path for _, path in OPERATIONS if path.endswith(("friends", "mine", "tries"))):
        answer = client.get(path.format(**known, period="week"))
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "not_signed_in"), path
