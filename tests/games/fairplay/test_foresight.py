"""Foresight and solver likeness: hidden cards and the solver influence choices only by chance, except for cheats."""

from __future__ import annotations

import json
from base64 import b64decode
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import pytest

from games.fairplay import solver_likeness
from games.fairplay.copies import is_copy, weights
from games.fairplay.evaluation import options
from games.fairplay.foresight import ChanceTally, Foresight, measure
from games.fairplay.foresight_store import table_of
from games.fairplay.solver_likeness import POSITIONS, compare_with_solver
from games.manifests import VARIANTS
from games.rules import CATALOGUE, GAMES, RULES_VERSION, End, Record, Ruleset, Table, open_table
from games.rules.catalogue import RULESETS
from games.rules.hidden_cards import Unseen
from games.rules.variants.stonewall import Stonewall
from games.solver import Budget, Result, solve
from tests.factories import won_records

SEED = bytes(range(32))

#: Records by game and kind of player. One knows the hidden cards and plays at a timer's pace; a decent and a strong one
#: know only what they have seen, and play at human paces. The deals discriminate well. For the likeness to the solver:
#: a person's win, a solver's first line and its new run after one random move.
PLAYERS = {
    game: {kind: Record.from_bytes(b64decode(packed)) for kind, packed in players.items()}
    for game, players in json.loads(Path(__file__).with_name("known_players.json").read_text()).items()
}


def record(variant: str, tokens: list[str], clock: list[int] | None = None, seed: bytes = SEED) -> Record:
    clock = clock or [1000 * n for n in range(len(tokens))]
    return Record(
        RULES_VERSION, variant, None, seed, tuple(tokens), tuple(clock), End("resigned", clock[-1] if clock else 0)
    )


@cache
def measured_once(record: Record) -> Foresight:
    """Call `measure` once per record."""
    return measure(record)


def measured(game: str, kind: str) -> Foresight:
    return measured_once(PLAYERS[game][kind])


def walk(variant: str, chance: Random, steps: int = 120) -> list[tuple[Table, Unseen]]:
    """Return a table and its unseen cards, at some moments of a random game with undos."""
    table = open_table(variant, SEED)
    unseen = Unseen.at(table)
    found = []
    for n in range(steps):
        legal = table.legal_moves()
        if not legal:
            break
        table.push("u" if table.can_undo and chance.random() < 0.2 else chance.choice(legal))
        unseen = unseen.after(table)
        if n % 15 == 0:
            found.append((Unseen(0, 0, 0).with_cards(table, []), unseen))
    return found


@pytest.mark.parametrize("variant", GAMES)
def test_other_deals_look_the_same(variant: str) -> None:
    chance = Random(1)
    for table, unseen in walk(variant, chance):
        for cards in unseen.deals(table, chance, 2):
            other = unseen.with_cards(table, cards)
            assert other.view() == table.view()
            assert other.legal_moves() == table.legal_moves()
        assert unseen.with_cards(table, unseen.deals(table, chance, 0)[0]).position() == table.position()


@pytest.mark.parametrize("variant", ["labyrinth", "tarot", "tarot-adept", "stonewall"])
def test_a_card_once_shown_is_never_unseen(variant: str) -> None:
    """Checked in games of one deck, in which each card has its own name."""
    chance = Random(2)
    table = open_table(variant, SEED)
    unseen, shown = Unseen.at(table), set[str]()
    for _ in range(150):
        shown |= {card for pile in table.view()["piles"].values() for card in pile if card}
        (left,) = unseen.deals(table, chance, 0)
        assert shown.isdisjoint(table.DECK.written(left))
        assert len(shown) + len(left) == len(table.DECK.cards) + len(table.CARDS_ON_FOUNDATIONS)
        legal = table.legal_moves()
        table.push("u" if table.can_undo and (not legal or chance.random() < 0.3) else chance.choice(legal))
        unseen = unseen.after(table)


@pytest.mark.parametrize("game", ["plot", "braid"])
def test_unseen_cards_of_two_decks_are_counted(game: str) -> None:
    table = open_table(game, SEED)
    assert Unseen.at(table).count == {"plot": 78 + 12, "braid": 71}[game]
    unseen = Unseen.at(table)
    table.push("d")
    unseen = unseen.after(table)
    table.push("u")
    assert unseen.after(table).count == Unseen.at(table).count - 1


@pytest.mark.parametrize("game", PLAYERS)
def test_a_player_who_knows_the_cards_stands_out(game: str) -> None:
    knowing, honest = measured(game, "knowing"), [measured(game, "decent"), measured(game, "strong")]
    assert knowing.applicable
    assert knowing.z > 2.3
    assert max(found.z for found in honest) < 1.2


@pytest.mark.parametrize("game", PLAYERS)
def test_every_game_leaves_room_for_chance(game: str) -> None:
    found = measured(game, "decent")
    assert found.applicable
    assert found.game == game
    assert found.choices.count > 2
    assert found.finds.count > 2


def test_a_game_without_hidden_cards_has_no_foresight(monkeypatch: pytest.MonkeyPatch) -> None:
    class Open(Stonewall):
        def _deal(self, deck: list[int]) -> None:
            super()._deal(deck)
            self.hidden = 0

    monkeypatch.setitem(RULESETS, 1, Ruleset(1, {**GAMES, "stonewall": Open}, CATALOGUE))
    table = open_table("stonewall", SEED)
    found = measure(record("stonewall", [table.legal_moves()[0]]))
    assert found == Foresight("stonewall", applicable=False)
    assert "not applicable" in str(table_of(found))


def test_an_empty_game_is_not_applicable() -> None:
    assert not measure(record("tarot", [])).applicable


def test_measurements_are_deterministic() -> None:
    line = won_records("stonewall")[1]
    assert measure(line) == measured_once(line)


def test_moves_undone_before_a_reveal_are_left_out() -> None:
    line = won_records("stonewall")[1]
    table = line.open_table()
    idle = next(token for token in table.legal_moves() if not turns_up(table, token))
    detour = replace(line, tokens=(idle, "u", *line.tokens), clock=(0, 0, *line.clock))
    assert measured_once(detour).choices.count == measured_once(line).choices.count
    assert measured_once(detour).finds == measured_once(line).finds


def test_undone_looks_count_at_the_look() -> None:
    """Otherwise a player who tries everything and keeps what is good would seem to have foreseen it."""
    table = open_table("stonewall", SEED)
    look = next(token for token in table.legal_moves() if turns_up(table, token))
    once = measure(record("stonewall", [look]))
    again = measure(record("stonewall", [look, "u", look]))
    assert again.finds == once.finds


def turns_up(table: Table, token: str) -> bool:
    table.push(token)
    now = table.hidden
    table.pop()
    return now != table.hidden


def test_the_servers_moves_are_left_out() -> None:
    line = won_records("stonewall")[1]
    assert not measure(line, [[1, len(line.tokens)]]).applicable
    assert measure(line, [[1, 10]]).finds.count < measured_once(line).finds.count


@pytest.mark.parametrize("longer", [True, False])
def test_pauses_after_reveals_suggest_no_foresight(longer: bool) -> None:
    line = won_records("stonewall")[0]
    table, clock, ms, unseen, fresh = line.open_table(), list[int](), 0, 99, False
    known = Unseen.at(table)
    for n, token in enumerate(line.tokens):
        ms += (2000 if fresh and longer else 1000) + n % 7
        clock.append(ms)
        unseen = known.count
        table.push(token)
        known = known.after(table)
        fresh = known.count < unseen
    pauses = measure(replace(line, clock=tuple(clock), end=End("won", ms))).pauses
    assert pauses is not None
    assert pauses.z > 5 if longer else abs(pauses.z) < 2
    assert pauses.fresh_ms - pauses.other_ms > 900 if longer else abs(pauses.fresh_ms - pauses.other_ms) < 10


def test_pauses_in_braid_mean_nothing() -> None:
    assert measured("braid", "decent").pauses is None
    assert measured("plot", "decent").pauses is not None


def test_pauses_need_enough_plays() -> None:
    assert measure(record("tarot", ["d", "d", "d"])).pauses is None


def test_a_tally_counts_only_what_chance_affects() -> None:
    tally = ChanceTally().plus(1.0, [1.0, 1.0]).plus(1.0, [0.0, 1.0, 0.0, 1.0])
    assert (tally.count, tally.gained, tally.expected) == (1, 1.0, 0.5)
    assert ChanceTally().z == 0
    assert tally.z > 0


def test_equal_places_are_one_option() -> None:
    table = open_table("braid", SEED)
    while not (table.pile("w") and not all(table.tableau)):
        table.push(table.legal_moves()[0])
    moves = [table.VOCABULARY.read(token) for token in options(table).values()]
    assert len(moves) <= len(table.legal_moves())
    assert len({(move.what, move.source) for move in moves if move.target >= 0}) == sum(
        move.target >= 0 for move in moves
    )


def test_staff_see_figures_in_words() -> None:
    lines = dict(table_of(measured("plot", "decent")))
    assert lines["foresight"].endswith("one game proves nothing")
    assert "by chance" in lines["finds: turned up and playable at once"]
    assert "tells nothing" in str(table_of(measured("braid", "decent")))


@pytest.mark.parametrize("variant", ["plot", "labyrinth"])
def test_new_runs_decide_like_the_solver_and_people_do_not(variant: str) -> None:
    person, run = (compare_with_solver(PLAYERS[variant][kind]) for kind in ("person", "new run"))
    assert person is not None
    assert run is not None
    assert run.z(variant) > max(1.5, person.z(variant) + 1)


def test_a_new_run_is_no_copy() -> None:
    first, again = (weights(PLAYERS["plot"][kind].to_bytes()) for kind in ("first run", "new run"))
    assert not is_copy(first, again, "plot")


def test_games_that_are_not_won_are_not_compared() -> None:
    won = PLAYERS["labyrinth"]["person"]
    lost = replace(won, tokens=won.tokens[:-1], clock=won.clock[:-1], end=End("resigned", won.end.ms))
    assert compare_with_solver(lost) is None


def test_the_work_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    budgets: list[Budget] = []

    def counted(table: Table, budget: Budget) -> Result:
        budgets.append(budget)
        return solve(table, budget)

    monkeypatch.setattr(solver_likeness, "solve", counted)
    found = compare_with_solver(PLAYERS["labyrinth"]["person"])
    assert found is not None
    assert 0 < found.count <= len(budgets) <= POSITIONS
    assert {budget.nodes for budget in budgets} == {5_000}


def test_typical_shares_separate_new_runs_from_people() -> None:
    measured = [typical for facts in VARIANTS.values() if (typical := facts.likeness)]
    assert len(measured) > 1
    assert all(typical.new_runs > typical.people + typical.spread / 2 for typical in measured)
