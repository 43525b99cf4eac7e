"""Generator of puzzles from games on random deals.

A simulated player plays each deal badly. Whenever a move has lost the game, the generator goes back to the last
winnable position, and walks along winning lines from some moves before it, as long as wrong moves still lose. The walk
needs few searches: the line itself is certified, and a second winning move is enough to pass over a position. The deals
are random and belong to no day or race, so a puzzle shows nothing of an open deal.

Where drawing never loses, no walk finds anything: there, a puzzle asks for the losing move (`losing_card`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from random import Random, SystemRandom
from typing import Final

from games.puzzles.generation import losing_card
from games.puzzles.generation.likeness import PuzzleIndex
from games.puzzles.generation.proofs import NODES, Judge, prove_again, short_win
from games.puzzles.puzzle import ASK_FOR_LOSS, MAX_TURNS, Losses, Puzzle, successors
from games.rules import CATALOGUE, Table, from_position, open_table
from games.solver.simulated_players import wish

#: The fewest ways to answer all turns of a puzzle; one with fewer is too easy to guess.
MIN_ANSWERS: Final = 4
#: The fewest choices at some turn of a puzzle whose answer is only to draw cards.
MIN_CHOICES: Final = 3
#: Deals of one search: enough that starting its process takes the smaller part of the time.
DEALS: Final = 100
#: A rich puzzle has at least this many turns with `MIN_CHOICES` choices.
RICH_TURNS: Final = 3
#: Turns in a row without a losing move after which a walk ends.
_EASY: Final = 6
#: Share of turns with two winning moves at which a walk may leave its line.
_TURNS_OFF: Final = 0.75
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
    tokens: list[str]
    choices: list[int]


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


def puzzles_of_deal(variant: str, chance: Random, *, rich: bool = False) -> Iterator[Puzzle]:
    """Play a random deal of a variant, and yield puzzles from it, none near another; with `rich`, only rich ones."""
    seed = chance.randbytes(32)
    chosen = CATALOGUE[variant]
    index = PuzzleIndex()
    table = open_table(chosen.game, seed, chosen.options)
    for puzzle in _puzzles_after(variant, table, chance, rich=rich):
        if index.add(puzzle):
            yield replace(puzzle, seed=seed.hex())


def _puzzles_after(variant: str, table: Table, chance: Random, *, rich: bool) -> Iterator[Puzzle]:
    """Play a deal, and yield puzzles from before each mistake, with their histories."""
    style = _STYLES[table.GAME]
    judge = Judge(style.nodes)
    floor = 0
    _play_badly(table, chance.randint(0, style.opening), style, chance)
    line = judge.win(table) if Judge(_DEAL_NODES).is_winnable(table) else []
    for _ in range(style.mistakes + 1):
        if not line:
            return
        back = min(chance.randint(0, style.back), len(table.moves) - floor)
        line = [table.pop() for _ in range(back)][::-1] + line
        yield from _puzzles_at(variant, table, line, judge, chance, rich=rich)
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


def _puzzles_at(
    variant: str, table: Table, line: list[str], judge: Judge, chance: Random, *, rich: bool = False
) -> Iterator[Puzzle]:
    """Yield the puzzles along a winning line, or where the loss is asked for, the one of a turn at the table."""
    if table.GAME not in ASK_FOR_LOSS:
        for run in _walk(table, line, judge, chance):
            yield from puzzles_of_run(variant, run, rich=rich)
    elif not rich and (puzzle := losing_card.puzzle_at(variant, table, judge)):
        yield puzzle


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

    The line is empty if the game was won, or a search gave up.
    """
    winnable = len(table.moves)
    verdict: bool | None = True
    while verdict and not table.is_won:
        winnable = len(table.moves)
        _play_badly(table, chance.randint(1, 2 * style.stride), style, chance)
        verdict = judge.is_winnable(table)
    tokens, lost = table.moves, len(table.moves)
    while verdict is not None and lost - winnable > 1:
        middle = (winnable + lost) // 2
        _go_to(table, tokens, middle)
        verdict = judge.is_winnable(table)
        winnable, lost = (middle, lost) if verdict else (winnable, middle)
    _go_to(table, tokens, winnable)
    return judge.win(table)


def _go_to(table: Table, tokens: Sequence[str], number: int) -> None:
    """Take back or play moves of a game until it has this number of moves."""
    while len(table.moves) > number:
        table.pop()
    while len(table.moves) < number:
        table.push(tokens[len(table.moves)])


def _walk(table: Table, line: list[str], judge: Judge, chance: Random) -> Iterator[_Run]:
    """Play along winning lines until no move loses for some turns, and yield the runs of single winning moves."""
    run = None
    easy = 0
    while line and easy < _EASY:
        right, others, tried = _try_others(table, line[0], judge, chance)
        if others is None or None in tried or True in tried:
            if run is not None:
                yield run
            run = None
        else:
            run = run or _Run(table.moves, table.position(), [], [])
            run.tokens.append(right)
            run.choices.append(1 + len(others))
        if others:
            easy = 0 if False in tried else easy + 1
        if others and True in tried and _turns_off(table, others[len(tried) - 1], right, chance):
            table.push(others[len(tried) - 1])
            line = judge.win(table)
        else:
            table.push(line[0])
            line = line[1:]
    if run is not None:
        yield run


def _try_others(
    table: Table, token: str, judge: Judge, chance: Random
) -> tuple[str, list[str] | None, list[bool | None]]:
    """Return a winning move, the other moves, and the verdicts on these up to the first that may win too.

    The other moves are None where there are too many.
    """
    if len(table.legal_moves()) > _STYLES[table.GAME].most:
        return token, None, []
    following = successors(table)
    table.push(token)
    right = following.pop(table.position())
    table.pop()
    others = list(following.values())
    chance.shuffle(others)
    tried: list[bool | None] = []
    for other in others:
        tried.append(judge.after(table, other))
        if tried[-1] is not False:
            break
    return right, others, tried


def _turns_off(table: Table, token: str, other: str, chance: Random) -> bool:
    """Return whether the walk follows another winning move than the one of its line.

    More choices make richer puzzles, but where a player holds cards back, single winning moves are rare, and among few
    choices less so.
    """
    more = _choices_after(table, token) - _choices_after(table, other)
    return chance.random() < _TURNS_OFF and (more <= 0 if _STYLES[table.GAME].holds_back else more >= 0)


def _choices_after(table: Table, token: str) -> int:
    table.push(token)
    number = len(table.legal_moves())
    table.pop()
    return number


def puzzles_of_run(variant: str, run: _Run, *, rich: bool = False) -> Iterator[Puzzle]:
    """Yield the proven puzzles in a run: up to the most turns of a puzzle at a time, without trivial ones."""
    turns = [n for n, choices in enumerate(run.choices) if choices > 1]
    while turns:
        first, last = turns[0], turns[:MAX_TURNS][-1]
        table = _table_after(run, first)
        if run.tokens[first] in table.safe_moves():
            turns = turns[1:]
            continue
        turns = turns[MAX_TURNS:]
        line, choices = tuple(run.tokens[first : last + 1]), run.choices[first : last + 1]
        if is_trivial(line, choices) or (rich and not is_rich(choices)):
            continue
        history = (*run.history, *run.tokens[:first])
        if puzzle := prove(Puzzle(variant, table.position(), line, history=history)):
            yield puzzle


def _table_after(run: _Run, moves: int) -> Table:
    table = from_position(run.start)
    for token in run.tokens[:moves]:
        table.push(token)
    return from_position(table.position())


def is_trivial(line: Sequence[str], choices: Sequence[int]) -> bool:
    """Return whether a line is easy to guess, or just drawing cards."""
    drawn = {token for token, number in zip(line, choices, strict=True) if number > 1} <= {"d", "n"}
    return math.prod(choices) < MIN_ANSWERS or (drawn and max(choices) < MIN_CHOICES)


def prove(puzzle: Puzzle) -> Puzzle | None:
    """Return the puzzle with a short win and its losses, each proven again; None if a proof fails."""
    finish = short_win(puzzle.table_at(len(puzzle.line)), Judge(_DEAL_NODES))
    if finish is None:
        return None
    return prove_again(replace(puzzle, finish=finish, losses=tuple(_losses(puzzle))))


def _losses(puzzle: Puzzle) -> Iterator[Losses]:
    for n in puzzle.turns:
        following = successors(puzzle.table_at(n))
        del following[puzzle.table_at(n + 1).position()]
        yield dict.fromkeys(following.values())


def is_rich(choices: Sequence[int]) -> bool:
    """Return whether at least three turns have at least three choices."""
    return sum(number >= MIN_CHOICES for number in choices) >= RICH_TURNS
