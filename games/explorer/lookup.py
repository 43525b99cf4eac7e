"""Look-up of a position in the explorer of a revealed deal."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from uuid import UUID

from games.attempts.lifecycle import deal_table, record_of
from games.core.errors import ErrorCode, Refusal, refusal_of
from games.deals import publishing
from games.explorer.counts import Crossing, unpack
from games.explorer.models import Explorer, ExplorerChunk
from games.models import Attempt, Deal
from games.rules import RulesError, Table


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


def crossing_at(explorer: Explorer, digest: int) -> Crossing | None:
    """Return what was played at the position with a digest; None if at most one game came through it."""
    if not explorer.chunks:
        return None
    number = digest % explorer.chunks
    packed = ExplorerChunk.objects.filter(explorer_id=explorer.pk, number=number).values_list("positions", flat=True)
    return next((unpack(bytes(chunk), digest) for chunk in packed), None)


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
