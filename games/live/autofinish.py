"""Auto-finish: the server plays out a game that foundation moves alone can win."""

from __future__ import annotations

from games.rules import RecordFullError, Table


def winning_run(table: Table) -> tuple[str, ...]:
    """Return the foundation moves that win the game from here, in order; empty if there is no such run.

    The run never draws or turns the stock over, and makes no choices: it plays a foundation move as long as there is
    one. It is only searched for once no card on the table is hidden, so the answer tells the player nothing new: every
    card in the waste has been seen. The table is restored, except that `view_changes` no longer describes the last
    push.
    """
    if table.stock or table.hidden or table.is_won or table.view()["under"].keys() - {"w"}:
        return ()
    run: list[str] = []
    try:
        while token := next((move for move in table.legal_moves() if move.endswith("-f")), None):
            table.push(token)
            run.append(token)
    except RecordFullError:
        pass
    up = table.cards_up
    for _ in run:
        table.pop()
    return tuple(run) if up == table.goal else ()
