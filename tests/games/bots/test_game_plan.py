"""Games of bots: legal, repeatable, and played without knowledge of hidden cards."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from functools import cache, partial
from random import Random
from types import FunctionType, MethodType, ModuleType
from typing import Any

import pytest

from games.bots import game_plan, strategy
from games.bots.game_plan import GamePlan, plan_game
from games.bots.imagination import Imagined
from games.bots.lookahead import Lookahead
from games.bots.roster import BOTS, Bot
from games.rules import CATALOGUE, Table, open_table
from games.rules.hidden_cards import Unseen, undone_reveal
from games.solver import Budget, Solution, solve

LIMIT_MS = 1_200_000
REX = BOTS["rex"]
#: Deals for games with a search.
GAMES = {"labyrinth": 10, "stonewall": 4}
#: One variant of each game.
VARIANTS = {variant.game: name for name, variant in CATALOGUE.items()}.values()


def played(variant: str, bot: Bot, number: int = 0) -> tuple[bytes, GamePlan]:
    seed = Random(f"{variant} {number}").randbytes(32)
    return seed, plan_game(bot, partial(open_table, variant, seed), f"game {number}", LIMIT_MS)


@cache
def winnable(variant: str, number: int) -> list[Callable[[], Table]]:
    """Return this many deals that can be won."""
    chance, found = Random(variant), list[Callable[[], Table]]()
    while len(found) < number:
        deal = partial(open_table, variant, chance.randbytes(32))
        if isinstance(solve(deal(), Budget(nodes=20_000)), Solution):
            found.append(deal)
    return found


@cache
def searched(variant: str, number: int, *, free_undo: bool) -> GamePlan:
    """Return Rex's game on a deal that can be won. Its search ends by positions, not by time."""
    opened = winnable(variant, GAMES[variant])[number]
    return plan_game(REX, opened, f"game {number}", LIMIT_MS, free_undo=free_undo, seconds=600)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("bot", BOTS.values(), ids=BOTS)
def test_games_are_legal_and_repeatable(variant: str, bot: Bot) -> None:
    seed, game = played(variant, bot)
    table, cards_up = open_table(variant, seed), []
    for token in game.tokens:
        table.push(token)
        cards_up.append(table.cards_up)
    assert len(game.tokens) > 5
    assert cards_up == list(game.cards_up)
    assert game.won == table.is_won
    assert list(game.clock) == sorted(game.clock)
    assert game.end_ms >= game.clock[-1]
    assert [game.due(game.clock[0] - 1), game.due(game.clock[0]), game.due(LIMIT_MS * 2)] == [0, 1, len(game.tokens)]
    assert played(variant, bot)[1] == game


def test_a_game_ends_at_the_time_limit() -> None:
    seed = bytes(32)
    game = plan_game(BOTS["pip"], partial(open_table, "braid", seed), "game", 60_000)
    assert game.clock[-2] < 60_000
    assert not game.won


@pytest.mark.parametrize("bot", BOTS.values(), ids=BOTS)
def test_no_bot_gives_up_while_a_third_of_the_time_is_left(bot: Bot) -> None:
    games = [played(variant, bot, 1)[1] for variant in VARIANTS]
    lost = [game for game in games if not game.won]
    assert len(lost) > 1
    assert all(game.end_ms >= LIMIT_MS * 2 / 3 for game in lost)


@pytest.mark.parametrize(("variant", "wins"), [("labyrinth", 3), ("stonewall", 1)])
def test_rex_is_worth_beating(variant: str, wins: int) -> None:
    assert sum(searched(variant, number, free_undo=True).won for number in range(GAMES[variant])) >= wins


def test_rex_takes_back_a_reveal_only_where_that_is_allowed() -> None:
    deals = winnable("labyrinth", GAMES["labyrinth"])
    for free_undo in (True, False):
        games = [searched("labyrinth", number, free_undo=free_undo) for number in range(len(deals))]
        undone = [undone_reveal(deal(), game.tokens) for deal, game in zip(deals, games, strict=True)]
        assert any(undone) == free_undo


def test_a_delayed_game_is_the_same_game() -> None:
    game = played("labyrinth", REX)[1]
    later = game.delayed(5_000)
    assert (later.tokens, later.cards_up) == (game.tokens, game.cards_up)
    assert later.clock == tuple(ms + 5_000 for ms in game.clock)
    assert later.end_ms == game.end_ms + 5_000


def reachable(roots: list[Any]) -> Iterator[Any]:
    """Yield all objects reachable from these, without code."""
    code = (type, ModuleType, FunctionType, MethodType)
    seen: set[int] = set()
    while roots:
        item = roots.pop()
        if id(item) not in seen and not isinstance(item, code):
            seen.add(id(item))
            yield item
            roots += gc.get_referents(item)


@pytest.mark.parametrize("seconds", [0, 600])
@pytest.mark.parametrize("variant", ["labyrinth", "stonewall", "plot", "tarot"])
def test_no_choice_can_reach_the_real_table(variant: str, seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    real: list[Table] = []
    orders: list[tuple[Any, ...]] = []

    def checked(choice: Any) -> Any:
        def check(*arguments: Any) -> Any:
            (table,) = real
            assert not any(item is table for item in reachable([*arguments]))
            (imagined,) = (item for item in arguments if isinstance(item, Imagined))
            if not table.token_count:
                assert imagined.unseen == Unseen.at(imagined.table), "the real face-down cards are not named"
                hidden = imagined.table.hidden
                orders.append(tuple(tuple(c for c in pile if hidden >> c & 1) for pile in imagined.table.piles))
            return choice(*arguments)

        return check

    def opened() -> Table:
        real[:] = [open_table(variant, bytes(32))]
        return real[0]

    monkeypatch.setattr(game_plan, "choose", checked(strategy.choose))
    for name in ("way", "can_win"):
        monkeypatch.setattr(Lookahead, name, checked(getattr(Lookahead, name)))
    for number in range(3):
        plan_game(REX, opened, f"game {number}", 10_000, free_undo=True, seconds=seconds)
    assert len(orders) >= 3
    if variant in {"stonewall", "tarot"}:
        assert len(set(orders)) == len(orders), "face-down cards are shuffled for each choice"
