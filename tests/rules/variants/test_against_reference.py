"""The engine plays by the rules page: it agrees with an independent implementation at every step of random play."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.rules import CATALOGUE, GAMES, shuffled_deck
from tests.rules.golden import Game, games_of
from tests.rules.profile import examples
from tests.rules.reference import OPTIONS, STANDARD, VARIANTS, shuffled, unshuffled
from tests.rules.variants.comparison import check_push_and_pop, compare, compare_step
from tests.rules.variants.situations import SITUATIONS
from tests.rules.walks import Walk, walks


def test_the_catalogue_matches_the_rules() -> None:
    assert list(CATALOGUE) == list(VARIANTS)
    for name, (game, options) in VARIANTS.items():
        variant = CATALOGUE[name]
        assert (variant.name, variant.game) == (name, game)
        assert dict(variant.options) == {**STANDARD[game], **options}


def test_every_game_has_the_options_of_the_rules() -> None:
    assert set(GAMES) == set(OPTIONS)
    for game, table in GAMES.items():
        assert {option.name: set(option.choices) for option in table.OPTIONS} == {
            name: set(choices) for name, choices in OPTIONS[game].items()
        }
        assert {option.name: option.default for option in table.OPTIONS} == STANDARD[game]


@given(game=st.sampled_from(sorted(OPTIONS)), seed=st.binary(min_size=32, max_size=32))
@examples(30)
def test_decks_are_shuffled_the_same(game: str, seed: bytes) -> None:
    deck = shuffled_deck(game, seed)
    assert deck == shuffled(game, seed)
    assert sorted(deck) == sorted(unshuffled(game))


@pytest.mark.parametrize("name", VARIANTS)
@given(data=st.data())
@examples(8)
def test_catalogue_variants_play_the_same(name: str, data: st.DataObject) -> None:
    compare(data.draw(walks(name)))


@given(walk=walks())
@examples(20)
def test_all_combinations_of_options_play_the_same(walk: Walk) -> None:
    compare(walk)


@pytest.mark.parametrize("name", VARIANTS)
def test_late_positions_play_the_same(name: str) -> None:
    """Covers recorded games, which reach all situations, a greedy walk, and walks that leave the games midway."""
    unseen = dict(SITUATIONS[name])
    for game in telling_games(name):
        table, slow = game.record.open_table(), game.open_slow()
        for token in game.record.tokens:
            compare_step(table, slow, token, closely=False)
            unseen = {what: holds for what, holds in unseen.items() if not holds(slow)}
    assert not unseen
    for walk in late_walks(name):
        compare(walk, closely=False)


def telling_games(name: str) -> list[Game]:
    """Return the recorded games that were won or got stuck."""
    return [game for game in games_of(name) if game.expected["ok"] and (game.record.end.how == "won" or game.stuck)]


def late_walks(name: str) -> list[Walk]:
    """Return a greedy walk, and one that leaves each recorded game midway; `--randomly-seed` repeats them."""
    dice = random.Random(random.getrandbits(64))
    walks = [Walk(name, None, seed=dice.randbytes(32), dice=0, length=200, greed=0.95, doubt=0.02)]
    for record in (game.record for game in telling_games(name)):
        left = dice.randrange(len(record.tokens))
        walks.append(Walk(name, None, seed=record.seed, dice=left, length=40, opening=record.tokens[:left], doubt=0.1))
    return walks


def moves_of(walk: Walk) -> list[str]:
    """Return the moves of a walk that were not undone."""
    slow = walk.open_slow()
    for token in walk.choose(slow):
        slow.play(token)
    return slow.moves


@given(walk=walks(longest=80))
@examples(20)
def test_every_legal_token_and_every_move_can_be_undone(walk: Walk) -> None:
    """Covers each legal token at the end of a walk, not only the tokens played."""
    table, fresh = walk.open(), walk.open()
    for token in moves_of(walk):
        table.push(token)
    for token in table.legal_moves():
        check_push_and_pop(table, token)
    while table.moves:
        table.pop()
    assert table.view() == fresh.view()
    assert table.position() == fresh.position()
    assert table.legal_moves() == fresh.legal_moves()
