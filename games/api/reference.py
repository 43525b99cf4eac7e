"""API endpoints for reference data: the variants, and the ledger of all deals."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router, Schema
from pydantic import Field

from games.api.common import ERRORS, read_from_replica
from games.deals import ledger
from games.presentation.titles import GAME_TITLES, VARIANT_TITLES
from games.rules import CATALOGUE, GAMES, RULES_VERSION, open_table

router = Router(tags=["deals"])


class OptionOut(Schema):
    """An option of a game, with its choices and default."""

    name: str
    choices: list[Any]
    default: Any


class VariantOut(Schema):
    """A variant with a daily deal: a game with fixed options, under the newest rules."""

    variant: str
    title: str
    game: str
    game_title: str
    options: dict[str, Any]
    game_options: list[OptionOut]
    rules: int
    goal: int


class LedgerIn(Schema):
    """Pagination for the ledger: the index of the first line, from 0."""

    first: Annotated[int, Field(ge=0, lt=2**31)] = 0


class LedgerOut(Schema):
    """Lines of the ledger, oldest first. `next` is the `first` of the next page, null at the end."""

    form: str
    entries: list[dict[str, Any]]
    next: int | None


@router.get("/variants", response={200: list[VariantOut], **ERRORS})
def list_variants(request: HttpRequest) -> list[VariantOut]:  # noqa: ARG001
    """List the variants with daily deals, in the order of the site."""
    return [
        VariantOut(
            variant=variant.name,
            title=str(VARIANT_TITLES[variant.name]),
            game=variant.game,
            game_title=str(GAME_TITLES[variant.game]),
            options=dict(variant.options),
            game_options=[
                OptionOut(name=option.name, choices=list(option.choices), default=option.default)
                for option in GAMES[variant.game].OPTIONS
            ],
            rules=RULES_VERSION,
            goal=open_table(variant.name, bytes(32)).goal,
        )
        for variant in CATALOGUE.values()
    ]


@router.get("/ledger", response={200: LedgerOut, **ERRORS})
@read_from_replica
def get_ledger(request: HttpRequest, query: Query[LedgerIn]) -> dict[str, Any]:  # noqa: ARG001
    """Return the ledger of daily deals, from line `first` on."""
    return ledger.lines_from(query.first, timezone.now())
