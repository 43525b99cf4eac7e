"""Generator of puzzles from games on random deals (docs/puzzles.md, "How puzzles are found").

The walks need few searches: the line itself is certified, and a second winning move is enough to pass over a position.
Where drawing never loses, no walk finds anything: there, a puzzle asks for the only losing move with a card.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from random import Random, SystemRandom
from typing import Final

from games.puzzles.generation.likeness import PuzzleIndex
from games.puzzles.generation.proofs import NODES, Judge, prove_again, short_win
from games.puzzles.puzzle import ASK_FOR_LOSS, MAX_TURNS, Puzzle, successors
from games.rules import CATALOGUE, Table, from_position, open_table
from games.solver.simulated_players import wish

#: The fewest ways to answer all turns of a puzzle; one with fewer is too easy to guess.
MIN_ANSWERS: Final = 4
#: The fewest choices at some turn of a puzzle whose answer is only to draw cards.
MIN_CHOICES: Final = 3
#: The fewest moves with cards at a puzzle that asks for the losing one.
MIN_CARD_MOVES: Final = 3
#: Deals of one search: enough that starting its process takes the smaller part of the time.
DEALS: Final = 100
#: A rich puzzle has at least this many turns with `MIN_CHOICES` choices.
RICH_TURNS: Final = 3
#: Turns in a row without a losing move after which a walk ends.
_EASY: Final = 6
#: Positions that the search of a whole deal may look at.
_DEAL_NODES: Final = 4_000


@dataclass(frozen=True, slots=True)
class _Style:
    """A simulated player's style, and how the player's games are searched.

    `opening` is the most moves before the first search, `stride` the usual number of moves between two searches,
    `slips` the share of random moves, and `mistakes` the most losing ones. A player who `holds_back` rather keeps cards
    down. A walk begins up to `back` moves before a mistake, and passes over positions with more than `most` moves.
    `nodes` is the budget of a search.
    """

    opening: int
    stride: int
    slips: float = 0.5
    back: int = 8
    holds_back: bool = False
    mistakes: int = 30
    most: int = 99
    nodes: int = NODES


_STYLES: Final = {
    "braid": _Style(opening=150, stride=4),
    "labyrinth": _Style(opening=30, stride=3),
    "plot": _Style(opening=5, stride=12, slips=0.1, holds_back=True, most=5, nodes=_DEAL_NODES),
    "stonewall": _Style(opening=4, stride=4, mistakes=0),
    "tarot": _Style(opening=30, stride=4, back=0, mistakes=8, nodes=_DEAL_NODES),
}


@dataclass(slots=True)
class _Run:
    """Moves in a row that alone win, forced ones included, with the number of choices at each."""

    history: tuple[str, ...]
    start: str
    tokens: list[str] = field(default_factory=list)
    choices: list[int] = field(default_factory=list)


def search(request: tuple[str, list[str]]) -> Iterator[Puzzle]:
    """Yield puzzles of a variant, in a process of its own (`games.core.search_process`).

    With the positions of a lost game up to the last winnable one, yield at most one, from their end; without any, all
    from simulated games on random deals.
    """
    variant, positions = request
    chance = SystemRandom()
    if positions:
        yield from islice(puzzles_along(variant, positions, chance), 1)
        return
    for _ in range(DEALS):
        yield from puzzles_of_deal(variant, chance)


def puzzles_of_deal(variant: str, chance: Random) -> Iterator[Puzzle]:
    """Play a random deal of a variant, and yield puzzles from before each mistake, none near another."""
    seed, chosen = chance.randbytes(32), CATALOGUE[variant]
    table, style, index = open_table(chosen.game, seed, chosen.options), _STYLES[chosen.game], PuzzleIndex()
    judge = Judge(style.nodes)
    _play_badly(table, chance.randint(0, style.opening), style, chance)
    line, floor = judge.win(table), 0
    for _ in range(style.mistakes + 1):
        if not line:
            return
        back = min(chance.randint(0, style.back), len(table.moves) - floor)
        line = [table.pop() for _ in range(back)][::-1] + line
        for puzzle in _puzzles_at(variant, table, line, judge, chance):
            if index.add(puzzle):
                yield replace(puzzle, seed=seed.hex())
        floor = len(table.moves)
        line = _play_to_mistake(table, judge, style, chance)


def puzzles_along(variant: str, positions: Sequence[str], chance: Random) -> Iterator[Puzzle]:
    """Yield puzzles from winning lines around the last of these positions of a game, which could still be won.

    A puzzle's history begins at the position at which its search began.
    """
    judge = Judge(_STYLES[CATALOGUE[variant].game].nodes)
    for position in reversed(positions[-MAX_TURNS:]):
        table = from_position(position)
        yield from _puzzles_at(variant, table, judge.win(table), judge, chance)


def _puzzles_at(variant: str, table: Table, line: list[str], judge: Judge, chance: Random) -> Iterator[Puzzle]:
    """Yield the puzzles along a winning line, or where the loss is asked for, the one of a turn at the table."""
    if table.GAME not in ASK_FOR_LOSS:
        for run in _walk(table, line, judge, chance):
            yield from _puzzles_of(variant, run)
    elif puzzle := _losing_card(variant, table, judge):
        yield puzzle


def _losing_card(variant: str, table: Table, judge: Judge) -> Puzzle | None:
    """Return the puzzle at a position, if exactly one move with a card loses, and not as the only foundation move."""
    moves = {token: position for position, token in successors(table).items() if token not in ("d", "n")}
    if len(moves) < MIN_CARD_MOVES:
        return None
    losing: list[str] = []
    for token in moves:
        verdict = judge.after(table, token)
        if verdict is None or (losing and not verdict):
            return None
        if not verdict:
            losing.append(token)
    up = [token for token in moves if token.endswith("-f")]
    if not losing or losing == up:
        return None
    wins: dict[str, tuple[str, ...]] = {}
    for token in moves.keys() - set(losing):
        table.push(token)
        wins[token] = short_win(table, judge) or ()
        table.pop()
    losses, history = (dict.fromkeys(wins),), tuple(table.moves)
    return prove_again(Puzzle(variant, table.position(), tuple(losing), losses=losses, history=history, wins=wins))


def _play_badly(table: Table, moves: int, style: _Style, chance: Random) -> None:
    for _ in range(moves):
        legal = table.legal_moves()
        if not legal:
            break
        chance.shuffle(legal)
        token = legal[0]
        if chance.random() >= style.slips:
            token = min(legal, key=lambda one: 5 if style.holds_back and one.endswith("-f") else wish(table, one))
        table.push(token)


def _play_to_mistake(table: Table, judge: Judge, style: _Style, chance: Random) -> list[str]:
    """Play on until the game is lost, go back to the last winnable position, and return a winning line from there.

    The line is empty if the game was won.
    """
    verdict: bool | None = True
    while verdict and not table.is_won:
        _play_badly(table, chance.randint(1, 2 * style.stride), style, chance)
        verdict = judge.is_winnable(table)
    while table.moves and not judge.is_winnable(table):
        table.pop()
    return judge.win(table)


def _walk(table: Table, line: Sequence[str], judge: Judge, chance: Random) -> Iterator[_Run]:
    """Play along a winning line until no move loses for some turns, and yield the runs of single winning moves."""
    run, easy = None, 0
    for token in line:
        right, others = _right_and_others(table, token)
        chance.shuffle(others)
        is_crowded = len(others) >= _STYLES[table.GAME].most
        lost = 0 if is_crowded else sum(1 for _ in takewhile(lambda other: judge.after(table, other) is False, others))
        if lost == len(others):
            run = run or _Run(table.moves, table.position())
            run.tokens.append(right)
            run.choices.append(1 + lost)
        elif run is not None:
            yield run
            run = None
        if others and not is_crowded:
            easy = 0 if lost else easy + 1
        if easy == _EASY:
            break
        table.push(token)
    if run is not None:
        yield run


def _right_and_others(table: Table, token: str) -> tuple[str, list[str]]:
    """Return a move in the spelling of `successors`, and the moves that lead elsewhere."""
    following = successors(table)
    table.push(token)
    right = following.pop(table.position())
    table.pop()
    return right, list(following.values())


def _puzzles_of(variant: str, run: _Run) -> Iterator[Puzzle]:
    """Yield the proven puzzles in a run: up to the most turns of a puzzle at a time, without trivial ones."""
    turns = [n for n, choices in enumerate(run.choices) if choices > 1]
    while turns:
        first, last = turns[0], turns[:MAX_TURNS][-1]
        table = Puzzle(variant, run.start, tuple(run.tokens)).table_at(first)
        if run.tokens[first] in table.safe_moves():
            turns = turns[1:]
            continue
        turns = turns[MAX_TURNS:]
        line, choices = tuple(run.tokens[first : last + 1]), run.choices[first : last + 1]
        found = Puzzle(variant, table.position(), line, history=(*run.history, *run.tokens[:first]))
        if not is_trivial(line, choices) and (puzzle := prove(found)):
            yield puzzle


def is_trivial(line: Sequence[str], choices: Sequence[int]) -> bool:
    """Return whether a line is easy to guess, or just drawing cards."""
    drawn = {token for token, number in zip(line, choices, strict=True) if number > 1} <= {"d", "n"}
    return math.prod(choices) < MIN_ANSWERS or (drawn and max(choices) < MIN_CHOICES)


def prove(puzzle: Puzzle) -> Puzzle | None:
    """Return the puzzle with a short win and its losses, each proven again; None if a proof fails."""
    finish = short_win(puzzle.table_at(len(puzzle.line)), Judge(_DEAL_NODES))
    if finish is None:
        return None
    losses = tuple(dict.fromkeys(_right_and_others(puzzle.table_at(n), puzzle.line[n])[1]) for n in puzzle.turns)
    return prove_again(replace(puzzle, finish=finish, losses=losses))


def is_rich(choices: Sequence[int]) -> bool:
    """Return whether at least three turns have at least three choices."""
    return sum(number >= MIN_CHOICES for number in choices) >= RICH_TURNS
