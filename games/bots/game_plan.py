"""Game of a bot on a deal: its tokens and their times.

It is planned before it is played. So any process can play the moves that are due, and no process owns a bot.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from games.bots.imagination import Imagined
from games.bots.lookahead import Lookahead
from games.bots.move_times import GIVING_UP_MS, gap_ms
from games.bots.roster import Bot
from games.bots.strategy import choose
from games.rules import Progress, Table
from games.rules.hidden_cards import Unseen
from games.rules.tokens import UNDO, WORDS
from games.solver import load
from games.solver.simulated_players import MOST_TOKENS, Position, piles_of

#: Share of the time for which no bot gives up.
STAYING: Final = 2 / 3


@dataclass(frozen=True, slots=True)
class GamePlan:
    """A bot's game: tokens, their times in ms since the start, and the cards up and progress time after each.

    ``end_ms`` is the time at which the game is over: won, or given up.
    """

    tokens: tuple[str, ...]
    clock: tuple[int, ...]
    cards_up: tuple[int, ...]
    progress_ms: tuple[int, ...]
    won: bool
    end_ms: int

    def due(self, elapsed_ms: int) -> int:
        """Return how many of the tokens have been played by this time."""
        return bisect_right(self.clock, elapsed_ms)

    def delayed(self, ms: int) -> GamePlan:
        """Return the same game, begun this much later."""
        clock, progress_ms = (tuple(at + ms for at in times) for times in (self.clock, self.progress_ms))
        return replace(self, clock=clock, progress_ms=progress_ms, end_ms=self.end_ms + ms)


def plan_game(
    bot: Bot,
    open_table: Callable[[], Table],
    seed: str,
    limit_ms: int,
    *,
    free_undo: bool = False,
    seconds: float = 0,
) -> GamePlan:
    """Play the bot's game on a deal until it is won, given up, or the time limit has passed.

    With `free_undo`, a bot that looks ahead also takes back moves that revealed a card. It searches for some seconds of
    CPU time, if any; without them the solver is not loaded.
    """
    table, chance = open_table(), Random(seed)  # noqa: S311 - repeatable, and nothing secret
    lookahead = None
    if bot.looks_ahead and seconds:
        load(table)
        lookahead = Lookahead(chance, seconds)
    game = _Game(bot, table, chance, lookahead, limit_ms, free_undo=free_undo)
    while game.elapsed_ms < limit_ms and len(game.tokens) < MOST_TOKENS and game.go_on():
        pass
    won = game.table.is_won
    end_ms = game.elapsed_ms if won else max(game.elapsed_ms + GIVING_UP_MS, round(STAYING * limit_ms))
    figures = tuple(game.cards_up), tuple(game.progress_ms)
    return GamePlan(tuple(game.tokens), tuple(game.clock), *figures, won, end_ms)


def search(plan: Callable[[], GamePlan]) -> Iterator[GamePlan]:
    """Yield a game planned in a process of its own (`games.core.search_process`)."""
    yield plan()


class _Game:
    """The real table and the clock. Moves are chosen on imagined tables alone."""

    def __init__(
        self, bot: Bot, table: Table, chance: Random, lookahead: Lookahead | None, limit_ms: int, *, free_undo: bool
    ) -> None:
        self.table, self.tokens, self.clock, self.cards_up = table, list[str](), list[int](), list[int]()
        self.elapsed_ms = 0
        self.progress_ms = list[int]()
        self._progress = Progress(table.cards_up)
        self._bot, self._chance, self._lookahead, self._limit_ms = bot, chance, lookahead, limit_ms
        self._free_undo = free_undo and lookahead is not None
        self._retreats = bot.retreats
        self._unseen = Unseen.at(table)
        self._seen: set[Position] = {piles_of(table)}
        self._revealed = 0
        #: Moves that can be taken back without covering a card again.
        self._undoable = 0
        #: Unseen cards when the last search found no way.
        self._lost: Unseen | None = None

    def go_on(self) -> bool:
        """Play some moves, or take some back; return False at the end of the game."""
        if self.table.is_won:
            return False
        tokens = self._search() or self._pick() or self._step_back()
        for token in tokens:
            if self.elapsed_ms < self._limit_ms:
                self._push(token)
        return bool(tokens)

    def _search(self) -> Sequence[str]:
        """Return the way to the next reveal that a search finds, or the way back to where there is one."""
        if self._lookahead is None or self._lost is self._unseen:
            return ()
        way = self._lookahead.way(self._imagined()) or self._way_back(self._lookahead)
        self._lost = None if way else self._unseen
        return way

    def _way_back(self, lookahead: Lookahead) -> Sequence[str]:
        """Return the undos to a position from which the game can be won, as far as the player knows."""
        moves = self.table.moves
        most = len(moves) if self._free_undo else self._undoable
        back = 1
        while self._retreats and most:
            back = min(back, most)
            for _ in range(back):
                self.table.pop()
            imagined = self._imagined()
            for token in moves[len(moves) - back :]:
                self.table.push(token)
            if lookahead.can_win(imagined):
                self._retreats -= 1
                return (WORDS[UNDO],) * back
            if back == most:
                break
            back *= 2
        return ()

    def _pick(self) -> Sequence[str]:
        token = choose(self._bot, self._imagined(), self._seen, self._chance)
        return () if token is None else (token,)

    def _step_back(self) -> Sequence[str]:
        """Return undos of some moves that revealed nothing, unless the bot has given up."""
        if not self._retreats or not self._undoable:
            return ()
        self._retreats -= 1
        return (WORDS[UNDO],) * self._chance.randint(1, self._undoable)

    def _imagined(self) -> Imagined:
        return Imagined.of(self.table, self._unseen, self._chance)

    def _push(self, token: str) -> None:
        is_undo = token == WORDS[UNDO]
        choices = 1 if is_undo else len(self.table.legal_moves())
        self.elapsed_ms += gap_ms(choices, self._revealed, self._bot.pace, self._chance)
        self.table.push(token)
        unseen = self._unseen.after(self.table)
        self._revealed = self._unseen.count - unseen.count
        self._undoable = 0 if self._revealed else max(0, self._undoable + (-1 if is_undo else 1))
        self._unseen = unseen
        self._seen.add(piles_of(self.table))
        self.tokens.append(token)
        self.clock.append(self.elapsed_ms)
        self.cards_up.append(self.table.cards_up)
        self._progress.note(self.table.cards_up, self.elapsed_ms)
        self.progress_ms.append(self._progress.ms)
