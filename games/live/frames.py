"""Frame builders: the view a player may see, the changes each token makes, and the messages around them."""

from __future__ import annotations

import uuid
from typing import Any, Final

from games.core.errors import ErrorCode, Refusal, refusal_of
from games.live import protocol
from games.live.autofinish import winning_run
from games.live.loader import Loaded
from games.models import Attempt
from games.rules import MAX_TOKENS, IllegalMoveError, Table, TokenError
from games.rules.explanations import explain

PLAYING: Final = str(Attempt.State.PLAYING)
_NO_PROGRESS: Final = frozenset({"d", "n"})


def push(facts: Loaded, token: str) -> None:
    """Play a token on the table.

    :raises Refusal: invalid_token, illegal_move or record_full; the table is unchanged.
    """
    try:
        facts.push(token)
    except TokenError as error:
        why = {"reason": error.why.to_json()} if isinstance(error, IllegalMoveError) else {}
        raise refusal_of(error, token=token, **why) from None


def check_undo(facts: Loaded) -> None:
    """Check that the last move may be undone, if there is one.

    :raises Refusal: card_revealed.
    """
    if facts.reveals is not None and facts.reveals.bars_undo:
        raise Refusal(ErrorCode.CARD_REVEALED, token="u")  # noqa: S106


def push_rewind(facts: Loaded) -> tuple[str, ...]:
    """Undo every standing move that may be undone, and return the tokens played to do so.

    :raises Refusal: illegal_move, card_revealed or record_full; the table is unchanged.
    """
    check_undo(facts)
    table = facts.table
    run = ("u",) * (len(table.moves) if facts.reveals is None else facts.reveals.undoable)
    if not run or table.is_won:
        raise Refusal(ErrorCode.ILLEGAL_MOVE, "there is no move to undo", token="u")  # noqa: S106
    if table.token_count + len(run) > MAX_TOKENS:
        raise Refusal(ErrorCode.RECORD_FULL, f"a record holds at most {MAX_TOKENS:,} tokens", token="u")  # noqa: S106
    for token in run:
        facts.push(token)
    return run


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


def moved(token: str, ms: int, facts: Loaded) -> str:
    """Return the `moved` frame for the last token pushed."""
    table = facts.table
    changes = table.view_changes()
    return protocol.write(
        protocol.Moved(n=table.token_count, token=token, changes=changes, ms=ms, **_next_moves(facts))
    )


def view(public_id: uuid.UUID, ms: int, facts: Loaded) -> protocol.View:
    """Return the `view` message, which the table's page also embeds."""
    return protocol.View(
        attempt=str(public_id),
        n=facts.table.token_count,
        view=facts.table.view(),
        ms=ms,
        paused=facts.is_paused,
        state=facts.state,
        ranked=facts.ranked,
        deadline=facts.deadline,
        deal=facts.deal,
        **_next_moves(facts),
    )


def waiting(public_id: uuid.UUID, now_ms: int, facts: Loaded) -> protocol.Waiting:
    """Return the `waiting` message sent before the cards are dealt, which the table's page also embeds."""
    return protocol.Waiting(
        attempt=str(public_id), starts_in=max(0, facts.deals_at_ms - now_ms), now=now_ms, deal=facts.deal
    )


def resumed(n: int, ms: int, facts: Loaded) -> str:
    """Return the `resumed` frame."""
    return protocol.write(protocol.Resumed(n=n, ms=ms, paused=facts.is_paused, state=facts.state))


def clock(ms: int, facts: Loaded) -> str:
    """Return the `clock` frame."""
    return protocol.write(protocol.Clock(ms=ms, paused=facts.is_paused))


def ended(n: int, facts: Loaded) -> str:
    """Return the `ended` frame."""
    return protocol.write(protocol.Ended(n=n, how=facts.how, ms=facts.end_ms, state=facts.state))


def _next_moves(facts: Loaded) -> dict[str, Any]:
    """Return the fields of `moved` and `view` about the next move."""
    if facts.state != PLAYING:
        return {"legal": [], "safe": [], "stuck": False, "auto": False}
    table = facts.table
    legal = table.legal_moves()
    return {
        "legal": legal,
        "safe": table.safe_moves(legal) if any(token.endswith("-f") for token in legal) else [],
        "stuck": _NO_PROGRESS.issuperset(legal) and table.is_stuck,
        "auto": bool(winning_run(table)),
        "no_undo": "revealed" if facts.reveals is not None and facts.reveals.bars_undo else None,
    }
