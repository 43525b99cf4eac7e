"""The frames that tell of a table: what its player may see, and what a token changed."""

from __future__ import annotations

import uuid
from typing import Final

from games.errors import refusal_of
from games.live import protocol
from games.live.autofinish import winning_run
from games.live.loading import Loaded
from games.models import Attempt
from games.rules import Table, TokenError

PLAYING: Final = str(Attempt.State.PLAYING)
_NO_PROGRESS: Final = frozenset({"d", "n"})


def push(table: Table, token: str) -> None:
    """Play a token on a table.

    :raises Refusal: invalid_token, illegal_move or record_full; the table stays as it was.
    """
    try:
        table.push(token)
    except TokenError as error:
        raise refusal_of(error, token=token) from None


def moved(table: Table, token: str, ms: int, facts: Loaded) -> str:
    """`moved`, for the token that was pushed last."""
    changes = table.view_changes()
    legal, stuck, auto = _offers(table, facts)
    return protocol.write(
        protocol.Moved(n=table.token_count, token=token, changes=changes, legal=legal, stuck=stuck, auto=auto, ms=ms)
    )


def view(table: Table, public_id: uuid.UUID, ms: int, facts: Loaded) -> protocol.View:
    """The message `view`: also what the table's page says before the socket does."""
    legal, stuck, auto = _offers(table, facts)
    return protocol.View(
        attempt=str(public_id),
        n=table.token_count,
        view=table.view(),
        legal=legal,
        stuck=stuck,
        auto=auto,
        ms=ms,
        state=facts.state,
        ranked=facts.ranked,
        deadline=facts.deadline,
        deal=facts.deal,
    )


def resumed(n: int, ms: int, facts: Loaded) -> str:
    """`resumed`."""
    return protocol.write(protocol.Resumed(n=n, ms=ms, state=facts.state))


def ended(n: int, facts: Loaded) -> str:
    """`ended`."""
    return protocol.write(protocol.Ended(n=n, how=facts.how, ms=facts.end_ms, state=facts.state))


def _offers(table: Table, facts: Loaded) -> tuple[list[str], bool, bool]:
    """The legal tokens, whether the game is stuck, and whether it can be played out."""
    if facts.state != PLAYING:
        return [], False, False
    legal = table.legal_moves()
    stuck = _NO_PROGRESS.issuperset(legal) and table.is_stuck
    return legal, stuck, bool(winning_run(table))
