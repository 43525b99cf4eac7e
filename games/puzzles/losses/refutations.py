"""Refutations of wrong moves: in words, made when a player first makes one, and as the best of some simulated games."""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import Any, Final

from django.db import transaction

from games.core.errors import ErrorCode, Refusal
from games.puzzles.losses.exhaustive_search import prove_lost
from games.puzzles.models import MissedPuzzle, PuzzleTry, StoredPuzzle
from games.puzzles.move_check import Step, check_move, steps_of, table_at
from games.puzzles.puzzle import Puzzle
from games.rules import from_position
from games.solver.simulated_players import Skill, skilled_game

#: Games from a lost position, the best of which is shown. Together they take up to a third of a second.
GAMES: Final = 60
LACKS: Final = 4
_SKILL: Final = Skill(slips=0.1)


def explain(number: int, turn: int, token: str) -> None:
    """Store why a losing move loses, unless that is known; `token` is in the puzzle's spelling."""
    stored = StoredPuzzle.objects.get(pk=number)
    if stored.contents["losses"][turn][token] is not None:
        return
    table = table_at(Puzzle.from_json(stored.contents), turn)
    table.push(token)
    loss = prove_lost(table.position()) or try_games(table.position())
    with transaction.atomic():
        row = StoredPuzzle.objects.select_for_update(no_key=True).get(pk=number)
        row.contents["losses"][turn][token] = loss
        row.save(update_fields=["contents"])


def refutation(player: int | None, stored: StoredPuzzle, turn: int, token: str) -> list[Step]:
    """Return a wrong move and a good game after it, up to the last card that goes up: a win if the loss is asked for.

    :raises Refusal: FORBIDDEN unless the try is over, or this was the player's last move or mistake; BAD_REQUEST for a
        move that is right; or the rules' error for an illegal one.
    """
    tries = PuzzleTry.objects.filter(player=player, puzzle=stored) if player else []
    known = any(row.solved_at or row.failed_at or (row.last_move or [])[::2] == [turn, token] for row in tries)
    if not known and not MissedPuzzle.objects.filter(player=player, puzzle=stored, turn=turn, token=token).exists():
        raise Refusal(ErrorCode.FORBIDDEN, "solve the puzzle first")
    puzzle = Puzzle.from_json(stored.contents)
    if turn not in range(len(puzzle.turns)) or (verdict := check_move(puzzle, turn, token)).is_right:
        raise Refusal(ErrorCode.BAD_REQUEST, "this move is right")
    table = table_at(puzzle, turn)
    (after,) = steps_of(table, [token])
    return [after, *steps_of(table, puzzle.wins.get(verdict.token) or best_game(table.position()))]


def try_games(position: str) -> dict[str, Any]:
    """Play simulated games from a lost position, always the same ones, and return the result of the best one.

    `best_up` is its number of cards up, and `lacks` names cards that its foundations still needed.
    """
    table = from_position(position)
    for token in best_game(position):
        table.push(token)
    return {"best_up": table.cards_up, "games": GAMES, "lacks": table.DECK.written(table.wanted_cards()[:LACKS])}


@lru_cache(256)
def best_game(position: str) -> tuple[str, ...]:
    """Return the moves of the game that gets the most cards up, up to the last one that goes up."""
    chance = Random(position)  # noqa: S311 - repeatable, and nothing secret
    games = [from_position(position) for _ in range(GAMES)]
    for table in games:
        skilled_game(table, _SKILL, chance)
    best = max(games, key=lambda table: table.cards_up)
    while best.moves:
        up, token = best.cards_up, best.pop()
        if best.cards_up < up:
            best.push(token)
            break
    return best.moves
