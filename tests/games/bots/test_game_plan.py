"""Games of bots: legal, repeatable, and played without knowledge of hidden cards."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from functools import partial
from random import Random
from types import FunctionType, MethodType, ModuleType
from typing import Any

import pytest

from games.bots import game_plan, strategy
from games.bots.game_plan import GamePlan, plan_game
from games.bots.roster import BOTS, Bot
from games.rules import CATALOGUE, Table, open_table

LIMIT_MS = 1_200_000
#: One variant of each game.
VARIANTS = {variant.game: name for name, variant in CATALOGUE.items()}.values()


def played(variant: str, bot: Bot, number: int = 0) -> tuple[bytes, GamePlan]:
    seed = Random(f"{variant} {number}").randbytes(32)
    return seed, plan_game(bot, partial(open_table, variant, seed), f"game {number}", LIMIT_MS)


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


@pytest.mark.parametrize("variant", ["labyrinth", "stonewall", "plot", "tarot"])
def test_the_strategy_cannot_reach_the_real_table(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real: list[Table] = []
    orders: list[tuple[Any, ...]] = []

    def checked(*arguments: Any) -> str | None:
        (table,) = real
        assert not any(item is table for item in reachable([*arguments]))
        hidden = table.hidden
        if not table.token_count:
            orders.append(tuple(tuple(card for card in pile if hidden >> card & 1) for pile in arguments[1][0].piles))
        return real_choose(*arguments)

    def opened() -> Table:
        real[:] = [open_table(variant, bytes(32))]
        return real[0]

    real_choose = strategy.choose
    monkeypatch.setattr(game_plan, "choose", checked)
    for number in range(3):
        plan_game(BOTS["rex"], opened, f"game {number}", 30_000)
    if variant in {"stonewall", "tarot"}:
        assert len(set(orders)) == len(orders), "face-down cards are shuffled for each game"
