"""Rulings of the rules page, each in the smallest position that shows it."""

from __future__ import annotations

from games.rules import open_table
from tests.rules.reference import unshuffled
from tests.rules.variants.positions import lay

TRUMP = {"fool": "trump"}


def between(tokens: list[str], source: str, target: str) -> list[str]:
    return [token for token in tokens if token.partition("x")[0] == f"{source}-{target}"]


class TestTarot:
    def test_a_king_at_the_bottom_leaves_only_for_its_foundation(self) -> None:
        moves = lay("tarot", {"t0": "KW", "t1": "M0", "t2": "*2S KC"}).legal_moves()
        assert not between(moves, "t0", "t1")
        assert "t2-t1" in moves
        assert "t2-t3" in moves
        suit = " ".join(rank + "W" for rank in "A23456789TPNQ")
        assert "t0-f" in lay("tarot", {"t0": "KW", "f0": suit}).legal_moves()

    def test_the_world_at_the_bottom_stays_too(self) -> None:
        moves = lay("tarot", {"t0": "M21", "t1": "4W", "t2": "*2S M0"}).legal_moves()
        assert not between(moves, "t0", "t1")
        assert not between(moves, "t0", "t2")
        assert "t0-t1" in lay("tarot", {"t0": "*2S M21", "t1": "4W"}).legal_moves()

    def test_the_fool_and_dealt_cards_leave_the_bottom_in_runs(self) -> None:
        moves = lay("tarot", {"t0": "M0 5W 4C", "t1": "9S", "t2": "6P"}).legal_moves()
        assert {"t0-t1x3", "t0-t2x3", "t0-t2x2"} <= set(moves)
        assert "t2-t1" not in moves

    def test_a_whole_pile_does_not_move_to_an_empty_pile(self) -> None:
        moves = lay("tarot", {"t0": "M0 5W", "t1": "*2C KP"}).legal_moves()
        assert not between(moves, "t0", "t2")
        assert "t1-t2" in moves

    def test_an_empty_pile_takes_kings_the_world_and_the_wild_fool(self) -> None:
        piles = {"t0": "*2S KW QC", "t1": "*3S M21", "t2": "*4S M0", "t3": "*5S QW", "w": "NC"}
        moves = lay("tarot", piles).legal_moves()
        assert {"t0-t8x2", "t1-t8", "t2-t8"} <= set(moves)
        assert not between(moves, "t3", "t8")
        assert "w-t8" not in moves
        assert not between(lay("tarot", piles, TRUMP).legal_moves(), "t2", "t8")

    def test_suits_alternate_and_trumps_count_as_one(self) -> None:
        piles = {"t0": "*KW 6W", "t1": "*KS 5S", "t2": "*KC 5C", "t3": "*KP M5", "t4": "*QW M6", "t5": "*QS M15"}
        moves = lay("tarot", piles).legal_moves()
        assert "t2-t0" in moves
        assert "t3-t0" in moves
        assert "t1-t0" not in moves
        assert "t1-t4" in moves
        assert "t3-t4" not in moves
        assert "t3-t5" not in moves

    def test_trumps_above_ten_count_the_sum_of_their_digits(self) -> None:
        piles = {"t0": "*KW M19", "t1": "*KS 9S", "t2": "*KC M20", "t3": "*KP AC", "t4": "*QW M18", "t5": "*QS 8C"}
        moves = lay("tarot", piles).legal_moves()
        assert {"t1-t0", "t3-t2", "t5-t4"} <= set(moves)

    def test_tens_go_on_twos_and_take_only_nines(self) -> None:
        piles = {"t0": "*KW 2W", "t1": "*KS TC", "t2": "*KC M10", "t3": "*KP M19", "t4": "*QW 2C TS", "t5": "*QC AP"}
        moves = lay("tarot", {**piles, "t6": "*QS 9C", "t7": "*NW M2"}).legal_moves()
        assert {"t1-t0", "t2-t0", "t3-t0", "t6-t4", "t1-t7"} <= set(moves)
        assert "t4-t0" not in moves
        assert "t5-t4" not in moves
        assert "t2-t7" not in moves
        assert "t5-t0" in moves

    def test_the_wild_fool_goes_on_any_card_and_takes_any(self) -> None:
        moves = lay("tarot", {"t0": "*KW M0", "t1": "*KS M7", "t2": "*KC AS", "t3": "*2S KP QW"}).legal_moves()
        assert {"t0-t1", "t0-t2", "t0-t3", "t1-t0", "t2-t0", "t3-t0", "t3-t0x2"} <= set(moves)
        assert "t0-f" not in moves

    def test_the_fool_as_a_trump_only_starts_its_foundation(self) -> None:
        piles = {"t0": "*KW M0", "t1": "*KS AS", "t2": "*KC M1"}
        table = lay("tarot", piles, TRUMP)
        moves = table.legal_moves()
        assert "t0-f" in moves
        assert [token for token in moves if "t0-t" in token or token.endswith("-t0")] == []
        assert "t2-f" not in moves
        assert table.goal == 78
        assert "t2-f" in lay("tarot", piles).legal_moves()

    def test_a_round_begins_whenever_the_stock_is_empty(self) -> None:
        table = open_table("tarot-adept", bytes(32))
        for _ in range(3):
            while "d" in table.legal_moves():
                assert "n" not in table.legal_moves()
                table.push("d")
            first = table.position()
            table.push("n")
        assert table.rounds_left is None
        while "d" in table.legal_moves():
            table.push("d")
        assert table.position() == first


class TestPlot:
    def test_in_phase_one_base_cards_go_to_spaces_only(self) -> None:
        piles = {"f0": "7S 8H", "t0": "7D", "t1": "8D", "t2": "6C", "r": "9C", "w": "7C"}
        moves = lay("plot", piles).legal_moves()
        assert "w-t3" in moves
        assert "w-t1" not in moves
        assert "t0-t1" not in moves
        assert "w-f" not in moves
        assert "t2-t0" in moves
        assert "r-f" in moves

    def test_in_phase_one_other_cards_do_not_fill_spaces(self) -> None:
        piles = {"f0": "7S", "t0": "5D", "w": "KC"}
        moves = lay("plot", piles).legal_moves()
        assert "w-t1" not in moves
        assert "t0-t1" not in moves

    def test_phase_two_lifts_the_rules_of_phase_one(self) -> None:
        full = "7S 8S 9S TS JS QS KS AS 2S 3S 4S 5S 6S"
        moves = lay("plot", {"f0": full, "t0": "7D", "t1": "8D", "t2": "5C", "w": "KC", "r": "7H"}).legal_moves()
        assert {"w-t3", "t0-t1", "t0-f", "r-f"} <= set(moves)
        assert not [token for token in moves if token in ("t2-t3", "r-t1", "r-t3")]

    def test_undoing_a_full_first_foundation_returns_to_phase_one(self) -> None:
        table = lay("plot", {"f0": "7S 8S 9S TS JS QS KS AS 2S 3S 4S 5S", "t0": "6D", "w": "7D", "t1": "8H"})
        before = table.legal_moves()
        table.push("t0-f")
        assert table.view()["phase"] == 2
        assert {"w-f", "w-t1"} <= set(table.legal_moves())
        table.push("u")
        assert table.view()["phase"] == 1
        assert table.legal_moves() == before
        assert not {"w-f", "w-t1"} & set(before)

    def test_building_goes_round_the_corner(self) -> None:
        moves = lay("plot", {"f0": "7S", "t0": "KD", "t1": "AC", "w": "KH"}).legal_moves()
        assert {"t0-t1", "w-t1"} <= set(moves)
        assert "t1-t0" not in moves


class TestStonewall:
    def test_any_part_of_a_run_may_be_moved(self) -> None:
        moves = lay("stonewall", {"t0": "*KS 9H 8S 7H", "t1": "TC", "t2": "9D", "t3": "8C"}).legal_moves()
        assert {"t0-t1x3", "t0-t2x2", "t0-t3", "t0-t4", "t0-t4x2", "t0-t4x3"} <= set(moves)

    def test_a_run_ends_at_a_hidden_or_unsequenced_card(self) -> None:
        moves = lay("stonewall", {"t0": "KS 9H *8S 7H", "t1": "KC 9D 7S", "t2": "9C", "t3": "8D"}).legal_moves()
        assert between(moves, "t0", "t4") == ["t0-t4"]
        assert between(moves, "t1", "t4") == ["t1-t4"]

    def test_a_whole_pile_does_not_move_to_an_empty_pile(self) -> None:
        moves = lay("stonewall", {"t0": "9H 8S", "t1": "7D", "r3": "KD"}).legal_moves()
        assert between(moves, "t0", "t4") == ["t0-t4"]
        assert not between(moves, "t1", "t4")
        assert "r3-t4" in moves

    def test_every_reserve_card_may_go_to_an_empty_pile(self) -> None:
        table = lay("stonewall", {f"r{cell}": f"{rank}S" for cell, rank in enumerate("23456789TJQK")} | {"t0": "9H"})
        assert all(table.is_legal(f"r{cell}-t1") for cell in range(12))

    def test_the_reserve_plays_and_is_not_refilled(self) -> None:
        moves = lay("stonewall", {"r2": "AS", "r7": "8S", "t0": "9H", "t1": "9C"}).legal_moves()
        assert {"r2-f", "r7-t0"} <= set(moves)
        assert "r7-t1" not in moves
        assert not [token for token in moves if "-r" in token]


class TestBraid:
    def test_inner_cells_take_the_braid_and_outer_ones_the_waste(self) -> None:
        moves = lay("braid", {"f0": "7S", "r": "2H 3H", "w": "KC", "t5": "9C"}, rounds=2).legal_moves()
        assert {"r-t0", "r-t3", "w-t4", "w-t11", "d"} <= set(moves)
        assert not {"w-t0", "r-t4", "w-t5", "t5-t4", "n"} & set(moves)

    def test_without_a_braid_the_waste_fills_inner_cells_too(self) -> None:
        moves = lay("braid", {"f0": "7S", "w": "KC", "t5": "9C"}, rounds=2).legal_moves()
        assert {"w-t0", "w-t3", "w-t4"} <= set(moves)

    def test_starting_a_foundation_is_left_to_the_player(self) -> None:
        table = lay("braid", {"f0": "7S", "r": "2H 7H", "w": "7C", "t5": "8S"}, rounds=2)
        assert {"r-f", "w-f", "t5-f", "d"} <= set(table.legal_moves())

    def test_foundations_go_round_the_corner_in_their_suit(self) -> None:
        moves = lay("braid", {"f0": "QS KS", "w": "AS", "t0": "AH"}, rounds=2).legal_moves()
        assert "w-f" in moves
        assert "t0-f" not in moves


class TestLabyrinth:
    def deal(self, first: str) -> list[str]:
        cards = first.split()
        return cards + [card for card in unshuffled("labyrinth") if card not in cards]

    def test_a_card_from_the_first_row_is_replaced(self) -> None:
        table = open_table("labyrinth", deck=self.deal("KS KH KD KC QS QH QD 2S 9C 8C"))
        table.push("t7-f")
        assert table.view()["piles"]["t7"] == ["9C"]
        table.push("d")
        assert table.view()["piles"]["t8"] == ["8C"]

    def test_a_short_last_row_frees_the_cards_above_its_gaps(self) -> None:
        table = open_table("labyrinth", deck=self.deal("KS KH KD KC QS QH QD 2S 9C 8C"))
        table.push("t7-f")
        while "d" in table.legal_moves():
            table.push("d")
        view = table.view()
        assert view["rows"] == 6
        assert view["piles"]["t47"] == []
        assert "t39" in view["free"]
        assert "t38" not in view["free"]

    def test_an_emptied_last_row_stays_the_last(self) -> None:
        table = open_table("labyrinth", deck=self.deal("KS KH KD KC QS QH QD QC 2S 2H 2D 2C 3S 3H 3D 3C 5S"))
        table.push("d")
        for cell in range(8, 16):
            table.push(f"t{cell}-f")
        assert table.view()["free"] == [f"t{cell}" for cell in range(8)]
        table.push("d")
        assert table.view()["piles"]["t16"] == ["5S"]
        assert table.view()["rows"] == 3

    def test_cells_below_the_first_row_stay_empty(self) -> None:
        table = open_table("labyrinth", deck=self.deal("KS KH KD KC QS QH QD QC 2S JH JD JC JS TH TD TC"))
        table.push("d")
        table.push("t8-f")
        table.push("d")
        table.push("d")
        view = table.view()
        assert view["piles"]["t8"] == []
        assert "t16" in view["free"]
        assert "t17" not in view["free"]
