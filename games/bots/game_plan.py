"""Game of a bot on a deal: its tokens and their times.

A game is a pure function of the deal, the bot and the seed of its random choices. Any process can compute it and play
the moves that are due, so no process owns a bot.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from games.bots.move_times import GIVING_UP_MS, gap_ms
from games.bots.roster import Bot
from games.bots.strategy import choose, imagine
from games.manifests import MANIFESTS
from games.rules import Progress, Table
from games.rules.hidden_cards import Unseen
from games.rules.tokens import UNDO, WORDS
from games.solver.simulated_players import MOST_TOKENS, Position, piles_of


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


def plan_game(bot: Bot, open_table: Callable[[], Table], seed: str, limit_ms: int) -> GamePlan:
    """Play the bot's game on a deal until it is won, given up, or the time limit has passed."""
    game = _Game(bot, open_table(), Random(seed))  # noqa: S311 - repeatable, and nothing secret
    while game.elapsed_ms < limit_ms and len(game.tokens) < MOST_TOKENS and game.go_on():
        pass
    won = game.table.is_won
    end_ms = game.elapsed_ms if won else game.elapsed_ms + GIVING_UP_MS
    figures = tuple(game.cards_up), tuple(game.progress_ms)
    return GamePlan(tuple(game.tokens), tuple(game.clock), *figures, won, end_ms)


class _Game:
    """The real table and the clock. The strategy gets only what `imagine` makes of it."""

    def __init__(self, bot: Bot, table: Table, chance: Random) -> None:
        self.table, self.tokens, self.clock, self.cards_up = table, list[str](), list[int](), list[int]()
        self.elapsed_ms = 0
        self.progress_ms = list[int]()
        self._progress = Progress(table.cards_up)
        self._bot, self._chance = bot, chance
        self._retreats = bot.retreats
        self._imagined = bot.imagined if MANIFESTS[table.GAME].is_short else 1
        self._unseen = Unseen.at(table)
        self._seen: set[Position] = {piles_of(table)}
        self._revealed = 0
        #: Moves that can be taken back without covering a card again.
        self._undoable = 0

    def go_on(self) -> bool:
        """Play a move, or take some back; return False at the end of the game."""
        if self.table.is_won:
            return False
        tables = imagine(self.table, self._unseen, self._imagined, self._chance)
        token = choose(self._bot, tables, self._seen, self._chance)
        if token is not None:
            self._push(token)
            return True
        if not self._retreats or not self._undoable:
            return False
        self._retreats -= 1
        for _ in range(self._chance.randint(1, self._undoable)):
            self._push(WORDS[UNDO])
        return True

    def _push(self, token: str) -> None:
        is_undo = token == WORDS[UNDO]
        choices = 1 if is_undo else len(self.table.legal_moves())
        self.elapsed_ms += gap_ms(choices, self._revealed, self._bot.pace, self._chance)
        self.table.push(token)
        unseen = self._unseen.after(self.table)
        self._revealed = self._unseen.count - unseen.count
        self._undoable = 0 if self._revealed else self._undoable + (-1 if is_undo else 1)
        self._unseen = unseen
        self._seen.add(piles_of(self.table))
        self.tokens.append(token)
        self.clock.append(self.elapsed_ms)
        self.cards_up.append(self.table.cards_up)
        self._progress.note(self.table.cards_up, self.elapsed_ms)
        self.progress_ms.append(self._progress.ms)
