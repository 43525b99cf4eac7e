"""Look-up of a position in the explorer of a revealed deal."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any
from uuid import UUID

import msgspec
from django.urls import reverse

from games.attempts.lifecycle import deal_table, record_of
from games.core.errors import ErrorCode, Refusal, refusal_of
from games.deals import publishing
from games.explorer.counts import Crossing, unpack
from games.explorer.deal_summary import DealSummary, KeyMove, step_from
from games.explorer.models import Explorer, ExplorerChunk
from games.explorer.trails import played, trail_of
from games.explorer.verdict_graph import Verdict
from games.models import Attempt, Deal
from games.rules import Record, RulesError, Table


@dataclass(frozen=True, slots=True)
class DealFigures:
    """The number of games that count at a deal, of those won, and the summary."""

    games: int
    wins: int
    summary: DealSummary

    @property
    def percent_won(self) -> int:
        """The share of games won, in percent."""
        return round(100 * self.wins / self.games)

    @property
    def losses(self) -> int:
        """The number of games that were not won."""
        return self.games - self.wins


def explorer_of(deal: Deal) -> Explorer:
    """Return the explorer of a deal.

    :raises Refusal: not_revealed while the deal is secret, not_found until its explorer is built.
    """
    if publishing.is_secret(deal):
        raise Refusal(ErrorCode.NOT_REVEALED)
    explorer = Explorer.objects.filter(pk=deal.pk, built__gt=0).first()
    if explorer is None:
        raise Refusal(ErrorCode.NOT_FOUND, "This deal has no explorer yet.")
    return explorer


def figures_of(deal: Deal) -> DealFigures | None:
    """Return the figures of a deal; None while it is secret, until its explorer is built, or if no game counts."""
    return None if publishing.is_secret(deal) else figures_by_deal([deal.pk]).get(deal.pk)


def figures_by_deal(revealed: Collection[int]) -> dict[int, DealFigures]:
    """Return the figures of revealed deals by deal id, without deals at which no game counts."""
    return {
        explorer.pk: DealFigures(explorer.games, explorer.wins, msgspec.convert(explorer.summary, DealSummary))
        for explorer in Explorer.objects.filter(pk__in=revealed, built__gt=0, games__gt=0)
    }


def crossing_at(explorer: Explorer, digest: int) -> Crossing | None:
    """Return what was played at the position with a digest; None if at most one game came through it."""
    if not explorer.chunks:
        return None
    number = digest % explorer.chunks
    packed = ExplorerChunk.objects.filter(explorer_id=explorer.pk, number=number).values_list("positions", flat=True)
    return next((unpack(bytes(chunk), digest) for chunk in packed), None)


def key_view(deal: Deal, key: KeyMove | None) -> dict[str, Any] | None:
    """Return the view before the key move, which names its cards; None if no move there kept the deal winnable."""
    return table_at(deal, None, 0, ".".join(key.line)).view() if key and key.token else None


def found_key_move(figures: DealFigures, deal: Deal, record: Record) -> bool | None:
    """Return whether a game was still winnable after its move at the key move; None if it did not come there, or if
    that is not known.
    """
    key = figures.summary.key
    explorer = Explorer.objects.filter(pk=deal.pk).first()
    if key is None or explorer is None or (crossing := crossing_at(explorer, key.digest)) is None:
        return None
    step = step_from(trail_of(deal_table(deal).position(), played(record), version=deal.rules_version), key.digest)
    verdicts = {move.token: move.verdict for move in crossing.moves}
    verdict = Verdict.UNKNOWN if step is None else verdicts.get(step[0], Verdict.UNKNOWN)
    return None if verdict == Verdict.UNKNOWN else verdict == Verdict.WINNABLE


def explorer_url(deal: Deal) -> str:
    """Return the address that the explorer's panel reads; empty for a deal without an explorer."""
    return reverse("api-1:get_explorer", args=[deal.pk]) if figures_of(deal) is not None else ""


def table_at(deal: Deal, game: UUID | None, n: int, moves: str) -> Table:
    """Return the table after `n` tokens of a public game of the deal, or from its start, and further moves.

    `moves` are tokens separated by dots.

    :raises Refusal: not_found for a game that is not of this deal; illegal_move and the like for
        moves that the rules refuse.
    """
    table = deal_table(deal)
    try:
        for token in (*islice(_tokens(deal, game), n), *filter(None, moves.split("."))):
            table.push(token)
    except RulesError as error:
        raise refusal_of(error) from None
    return table


def _tokens(deal: Deal, game: UUID | None) -> Iterable[str]:
    if game is None:
        return ()
    attempt = Attempt.objects.filter(deal=deal, public_id=game, record__isnull=False).first()
    if attempt is None:
        raise Refusal(ErrorCode.NOT_FOUND, "There is no such game of this deal.")
    return record_of(attempt).tokens
