"""Foresight and solver likeness: hidden cards and the solver influence choices only by chance, except for cheats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from random import Random
from types import MappingProxyType
from typing import Literal

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
from tests.games.fairplay import foreseeing
from tests.games.fairplay.copying import EASY, played, replanned, solved
from tests.games.fairplay.foreseeing import Kind

SEED = bytes(range(32))

#: By game: a deal, and the kind of player who knows its cards. Chosen among deals that discriminate well.
KNOWN: Mapping[str, tuple[bytes, Kind]] = MappingProxyType(
    {
        "labyrinth": (bytes.fromhex("972a0a3eb934e27c106abdde01d211d5b2d24933bb9b9865e771490fca193a1e"), "line"),
        "braid": (bytes.fromhex("06be7c1886d6628af16adc81fde0909a7271087d545e908df783972e8ffe4914"), "line"),
        "tarot": (bytes.fromhex("a0821ee9154feb01648d045ace537d1e4ac169f12ea2a4c159c0d21b50b4596f"), "peek"),
        "plot": (bytes.fromhex("53b7760cb49fd8aa02e321a7e8a9eb4bf870a7650b082c465fadb8403b5853dc"), "peek"),
        "stonewall": (won_records("stonewall")[1].seed, "line"),
    }
)


def record(variant: str, tokens: list[str], clock: list[int] | None = None, seed: bytes = SEED) -> Record:
    clock = clock or [1000 * n for n in range(len(tokens))]
    return Record(
        RULES_VERSION, variant, None, seed, tuple(tokens), tuple(clock), End("resigned", clock[-1] if clock else 0)
    )


@cache
def measured_once(record: Record) -> Foresight:
    """Call `measure` once per record."""
    return measure(record)


@cache
def measured(game: str, kind: Kind) -> Foresight:
    seed = KNOWN[game][0]
    if game == "stonewall" and kind == "line":
        return measured_once(won_records("stonewall")[1])
    chance = Random(seed)
    table = foreseeing.game(game, seed, kind, chance)
    assert table is not None
    return measure(foreseeing.recorded(game, seed, table, chance, by_timer=kind == KNOWN[game][1]))


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


@pytest.mark.parametrize("variant", CATALOGUE)
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


@pytest.mark.parametrize("game", KNOWN)
def test_a_player_who_knows_the_cards_stands_out(game: str) -> None:
    knowing, honest = measured(game, KNOWN[game][1]), [measured(game, "decent"), measured(game, "strong")]
    assert knowing.applicable
    assert knowing.z > 2.3
    assert max(found.z for found in honest) < 1.2


@pytest.mark.parametrize("game", KNOWN)
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
    line = won_records("tarot")[0]
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


def ended(variant: str, tokens: Sequence[str], how: Literal["won", "resigned"] = "won") -> Record:
    clock = tuple(range(0, 1000 * len(tokens), 1000))
    return Record(RULES_VERSION, variant, None, EASY[variant], tuple(tokens), clock, End(how, clock[-1]))


def a_person(variant: str) -> Record:
    """A win of a simple player."""
    tables = (played(variant, EASY[variant], Random(n), 0.1) for n in range(100))
    return ended(variant, next(table for table in tables if table.is_won).moves)


def a_new_run(variant: str) -> Record:
    """A win of the solver after one random move."""
    return ended(variant, replanned(variant, EASY[variant], Random(1)) or ())


@pytest.mark.parametrize("variant", ["tarot-novice", "plot", "labyrinth"])
def test_new_runs_decide_like_the_solver_and_people_do_not(variant: str) -> None:
    person, run = compare_with_solver(a_person(variant)), compare_with_solver(a_new_run(variant))
    assert person is not None
    assert run is not None
    assert run.z(variant) > max(1.5, person.z(variant) + 1)


def test_a_new_run_is_no_copy() -> None:
    first = ended("plot", solved("plot", EASY["plot"]) or ())
    assert not is_copy(weights(first.to_bytes()), weights(a_new_run("plot").to_bytes()), "plot")


def test_games_that_are_not_won_are_not_compared() -> None:
    record = a_person("labyrinth")
    assert compare_with_solver(ended("labyrinth", record.tokens[:-1], "resigned")) is None


def test_the_work_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    budgets: list[Budget] = []

    def counted(table: Table, budget: Budget) -> Result:
        budgets.append(budget)
        return solve(table, budget)

    monkeypatch.setattr(solver_likeness, "solve", counted)
    found = compare_with_solver(a_person("labyrinth"))
    assert found is not None
    assert 0 < found.count <= len(budgets) <= POSITIONS
    assert {budget.nodes for budget in budgets} == {5_000}


def test_typical_shares_separate_new_runs_from_people() -> None:
    measured = [typical for facts in VARIANTS.values() if (typical := facts.likeness)]
    assert len(measured) > 1
    assert all(typical.new_runs > typical.people + typical.spread / 2 for typical in measured)
