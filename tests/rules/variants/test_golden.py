"""Golden games: once recorded, they replay to the same end for ever, in the engine and in the reference."""

from __future__ import annotations

import pytest

from games.rules import Record, from_position, replay
from tests.rules.golden import FILES, Game, games_of
from tests.rules.reference import OPTIONS, VARIANTS

GAMES = [
    pytest.param(game, id=f"{name}-{place}-{game.title}") for name in FILES for place, game in enumerate(games_of(name))
]


@pytest.mark.parametrize("game", GAMES)
def test_it_replays_to_its_stored_result(game: Game) -> None:
    result = replay(game.record)
    found = {**result.to_json(), "stuck": result.table.is_stuck, "position": result.table.position()}
    if result.failure:
        found["failure"].pop("reason")
    assert found == game.expected


@pytest.mark.parametrize("game", GAMES)
def test_both_forms_of_its_record_round_trip(game: Game) -> None:
    assert game.record.to_json() == game.text
    assert game.record.to_bytes() == game.packed
    assert Record.from_bytes(game.packed) == game.record


@pytest.mark.parametrize("game", GAMES)
def test_the_reference_comes_to_the_same_end(game: Game) -> None:
    slow = game.open_slow()
    refused = None
    for index, token in enumerate(game.record.tokens):
        if not (slow.can_undo if token == "u" else token in slow.legal()):
            refused = index
            break
        slow.play(token)
    contradicted = (game.record.end.how == "won") != slow.won
    if refused is None and contradicted:
        refused = len(game.record.tokens)
    assert refused == game.expected.get("failure", {}).get("index")
    assert (slow.won, slow.stuck, slow.cards_up, slow.goal) == tuple(
        game.expected[key] for key in ("won", "stuck", "cards_up", "goal")
    )
    view = from_position(game.expected["position"]).view()
    history = ("moves", "can_undo")
    assert {**view, **{key: slow.view()[key] for key in history}} == slow.view()


@pytest.mark.parametrize("name", VARIANTS)
def test_there_are_wins_with_and_without_undo_and_refusals(name: str) -> None:
    games = games_of(name)
    wins = [game for game in games if game.expected["ok"] and game.expected["won"]]
    assert any("u" in game.record.tokens for game in wins)
    assert any("u" not in game.record.tokens for game in wins)
    assert {game.record.end.how for game in games if game.expected["ok"]} == {"won", "resigned", "closed"}
    codes = {game.expected["failure"]["code"] for game in games if not game.expected["ok"]}
    assert codes == {"illegal_move", "contradicted_end"}


def test_every_unnamed_combination_of_options_has_a_game() -> None:
    named = [VARIANTS[name] for name in VARIANTS]
    records = [game.record for game in games_of("options")]
    assert all(record.options is not None for record in records)
    combinations = sum(_combinations(game) for game in OPTIONS)
    assert len({(record.name, str(record.options)) for record in records}) == combinations - len(named)


def _combinations(game: str) -> int:
    product = 1
    for choices in OPTIONS[game].values():
        product *= len(choices)
    return product
