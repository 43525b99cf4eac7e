"""Auto-finish: when a game is won by nothing but foundation moves, the server can play them out."""

from __future__ import annotations

from games.rules import RecordFullError, Table


def winning_run(table: Table) -> tuple[str, ...]:
    """The foundation moves that win the game from here, first to last; empty when there is no such run.

    It takes no draw, no new round and no choice: as long as there is a foundation move, one is played. Looked for only
    once nothing on the table is hidden, so that the answer tells the player nothing new: a waste's cards have all been
    seen. The table is left as it was, except that `view_changes` is no longer about the last push.
    """
    if table.stock or table.hidden or table.is_won or not _all_seen(table):
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


def _all_seen(table: Table) -> bool:
    under: dict[str, int] = table.view()["under"]
    return under.keys() <= {"w"}
