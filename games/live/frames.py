"""Frame builders: the view a player may see, the changes each token makes, and the messages around them."""

from __future__ import annotations

from typing import Any

import msgspec

from games.core.errors import refusal_of
from games.live import protocol
from games.live.attempt_state import AttemptState, now_ms
from games.live.autofinish import winning_run
from games.live.dead_ends import is_dead_end
from games.rules import Table, TokenError
from games.rules.explanations import explain


def because(table: Table, question: protocol.Why) -> str:
    """Return the `because` frame that answers `why`.

    :raises Refusal: invalid_token if the game has no such pile.
    """
    try:
        reasons = explain(table, question.pile, question.cards, question.to)
    except TokenError as error:
        raise refusal_of(error, token=error.token) from None
    encoded = [reason.to_json() for reason in reasons]
    return protocol.write(protocol.Because(pile=question.pile, cards=question.cards, to=question.to, reasons=encoded))


def moved(token: str, ms: int, attempt: AttemptState) -> str:
    """Return the `moved` frame for the last token pushed."""
    table = attempt.table
    changes = table.view_changes()
    return protocol.write(
        protocol.Moved(n=table.token_count, token=token, changes=changes, ms=ms, **_next_moves(attempt))
    )


def opening(attempt: AttemptState) -> dict[str, Any]:
    """Return the message that the socket would send now, for the table's page, which thus renders before it connects.

    Show it to the attempt's player only. The attempt has just been read, without opening a live table. The client tells
    the socket the last number it has, and receives what was played since.
    """
    message: protocol.View | protocol.Waiting
    if attempt.ms_until_deal() > 0:
        message = waiting(attempt)
    else:
        attempt.push_all()
        message = view(attempt)
    data: dict[str, Any] = msgspec.to_builtins(message)
    return data


def view(attempt: AttemptState) -> protocol.View:
    """Return the `view` message."""
    return protocol.View(
        attempt=str(attempt.public_id),
        n=attempt.table.token_count,
        view=attempt.table.view(),
        ms=attempt.elapsed_ms(),
        paused=attempt.is_paused,
        state=attempt.state,
        ranked=attempt.ranked,
        deadline=attempt.deadline,
        deal=attempt.deal,
        **_next_moves(attempt),
    )


def waiting(attempt: AttemptState) -> protocol.Waiting:
    """Return the `waiting` message sent before the cards are dealt."""
    now = now_ms()
    starts_in = max(0, attempt.deals_at_ms - now)
    return protocol.Waiting(attempt=str(attempt.public_id), starts_in=starts_in, now=now, deal=attempt.deal)


def resumed(attempt: AttemptState) -> str:
    """Return the `resumed` frame."""
    n, ms = attempt.table.token_count, attempt.elapsed_ms()
    return protocol.write(protocol.Resumed(n=n, ms=ms, paused=attempt.is_paused, state=attempt.state))


def clock(attempt: AttemptState) -> str:
    """Return the `clock` frame."""
    return protocol.write(protocol.Clock(ms=attempt.elapsed_ms(), paused=attempt.is_paused))


def ended(attempt: AttemptState) -> str:
    """Return the `ended` frame."""
    n = attempt.table.token_count
    return protocol.write(protocol.Ended(n=n, how=attempt.how, ms=attempt.end_ms, state=attempt.state))


def _next_moves(attempt: AttemptState) -> dict[str, Any]:
    """Return the fields of `moved` and `view` about the next move."""
    if not attempt.is_playing:
        return {"legal": [], "safe": [], "stuck": False, "auto": False}
    table, reveals = attempt.table, attempt.reveals
    legal = table.legal_moves()
    return {
        "legal": legal,
        "safe": table.safe_moves(legal) if any(token.endswith("-f") for token in legal) else [],
        "stuck": is_dead_end(table),
        "auto": bool(winning_run(table)),
        "no_undo": "revealed" if reveals is not None and reveals.bars_undo else None,
    }
