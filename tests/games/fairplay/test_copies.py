"""Copies: games that repeat another account's decisions are flagged, games of obvious moves are not."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from datetime import timedelta
from random import Random
from typing import Any
from unittest.mock import Mock

import pytest

from games.attempts.lifecycle import How, close_attempt
from games.attempts.verification import compare, judge, judge_alone
from games.fairplay import copies
from games.fairplay.alignment import Alignment, align
from games.fairplay.move_gaps import Kind, gaps_of, spreads
from games.fairplay.play_decisions import decisions, weighed
from games.models import Attempt, Deal
from games.rules import End, Record, open_table
from leaderboards.models import Result
from leaderboards.verdicts.decisions import decide
from leaderboards.verdicts.settlement import settle
from tests import factories
from tests.factories import DAY, NOON, add_moves, make_account, make_deal, won_records
from tests.games.fairplay.copying import disguised, played
from tests.games.fairplay.scripted import codes

State = Attempt.State
VARIANT = "tarot-novice"
SEED = won_records(VARIANT)[0].seed
LINE = won_records(VARIANT)[0].tokens
"""A line that no player who makes obvious moves finds."""
LATER = NOON + timedelta(hours=1)
database = pytest.mark.django_db


def won(deal: Deal, tokens: Sequence[str] = (), **fields: Any) -> Attempt:
    tokens = tokens or LINE
    fields = {"state": State.VERIFIED, **fields}
    return factories.finished(deal, record=factories.record_of(deal, tokens, end="won"), **fields)


def later(deal: Deal, tokens: Sequence[str] = (), **fields: Any) -> Attempt:
    return won(deal, tokens, **{"started_at": LATER, "state": State.PENDING, **fields})


@pytest.fixture
def deal() -> Deal:
    return make_deal(VARIANT, DAY, seed=SEED)


@database
def test_a_later_copy_is_flagged_and_the_original_is_not(deal: Deal) -> None:
    first, copy = won(deal), later(deal)
    assert judge(first).state == State.VERIFIED
    verdict = judge(copy)
    assert (verdict.state, codes(verdict.reasons)) == (State.VERIFIED, ["copied_line"])
    assert verdict.reasons[0]["attempt"] == str(first.public_id)


@database
def test_disguised_copies_are_found(deal: Deal) -> None:
    won(deal)
    disguise = disguised(VARIANT, SEED, LINE, Random(1))
    assert list(LINE) != [token for token in disguise if token != "u"]
    assert codes(judge(later(deal, disguise)).reasons) == ["copied_line"]


@database
def test_own_lines_and_other_deals_are_no_copies(deal: Deal) -> None:
    me = make_account()
    won(deal, who=me, ranked=False)
    assert judge(later(deal, who=me)).state == State.VERIFIED
    record = won_records("tarot")[0]
    other = make_deal("tarot", DAY, seed=record.seed)
    assert judge(later(other, record.tokens)).state == State.VERIFIED


@database
def test_the_first_of_several_copies_is_named(deal: Deal) -> None:
    _second, first = (won(deal, started_at=NOON + timedelta(minutes=minutes)) for minutes in (2, 1))
    assert [one["attempt"] for one in judge(later(deal)).reasons] == [str(first.public_id)]


@database
def test_a_loss_is_not_flagged(deal: Deal) -> None:
    won(deal)
    lost = factories.finished(deal, tokens=LINE[:-1], started_at=LATER)
    assert lost.decisions_digest is None
    assert judge(lost).state == State.VERIFIED


@database
def test_the_first_of_copies_judged_together_stands(deal: Deal) -> None:
    third, first, second = (later(deal, started_at=LATER + timedelta(minutes=minutes)) for minutes in (30, 10, 20))
    found = compare([(one, judge_alone(one)) for one in (third, first, second)])
    assert [codes(one.reasons) for one in found] == [["copied_line"], [], ["copied_line"]]
    assert {one.reasons[0]["attempt"] for one in found if one.reasons} == {str(first.public_id)}


@database
def test_one_of_two_simultaneous_copies_stands(deal: Deal) -> None:
    one, other = later(deal), later(deal)
    settle(other.pk, max_others=1)
    assert [Attempt.objects.get(pk=attempt.pk).state for attempt in (one, other)] == [State.VERIFIED, State.REVIEW]


@database
def test_an_exhaustive_game_flags_no_natural_player(deal: Deal) -> None:
    """A copied line is similar in both directions: containing the other's decisions among many more is no copy."""
    decided = copies.decided(copies.digest_of(open_table(VARIANT, SEED), LINE) or b"")
    everything = frozenset(range(1 << 16))
    assert copies.likeness(decided, everything) < copies.LIKENESS
    assert copies.likeness(decided, decided) == 1.0
    assert copies.likeness(frozenset(), frozenset()) == 0.0


@database
def test_lines_with_only_part_of_a_sketch_in_common_differ(deal: Deal) -> None:
    first, other = won(deal, verified_at=LATER), later(deal)
    line = bytes(other.decisions_digest or b"")
    assert [one.pk for one in copies.may_be_copied([(other, line)], [])[other.pk]] == [first.pk]
    assert copies.copies_since([(other, line)], LATER) == {other.pk}
    assert copies.copies_since([(other, line)], LATER + timedelta(seconds=1)) == set()
    other_line = line[: copies._HEAD] + b"\xff\xff\xff\xfe"
    Attempt.objects.filter(pk=first.pk).update(decisions_digest=other_line)
    assert copies.may_be_copied([(other, line)], []) == {other.pk: []}
    assert copies.copies_since([(other, line)], LATER) == set()


@database
@pytest.mark.parametrize(
    ("variant", "common", "is_alike"),
    [
        ("plot", 19, True), ("plot", 18, False),
        ("braid", 19, True), ("braid", 18, False),
        ("tarot", 17, True), ("tarot", 16, False),
    ],
)  # fmt: skip
def test_a_copy_shares_nearly_all_decisions_of_its_game(variant: str, common: int, is_alike: bool) -> None:
    """Of 20 moves that two players made. Natural players of Plot and Braid have most in common anyway."""
    deal = make_deal(variant, DAY)
    first, other = (factories.finished(deal, state=State.VERIFIED, started_at=at) for at in (NOON, LATER))
    sketch = copies._sketch(range(20))
    mine, theirs = (sketch + struct.pack(f">{count}H", *range(count)) for count in (common, 20))
    Attempt.objects.filter(pk=first.pk).update(decisions_digest=theirs)
    assert [one.pk for one in copies.may_be_copied([(other, mine)], [])[other.pk]] == [first.pk] * is_alike


@database
def test_only_others_verified_ranked_wins_are_compared(deal: Deal) -> None:
    first, copy = won(deal, verified_at=LATER), later(deal, state=State.VERIFIED, verified_at=LATER)
    line = bytes(copy.decisions_digest or b"")
    # Starting from either game, the later one is found, whenever it was verified.
    assert copies.copies_since([(first, line)], LATER + timedelta(hours=1)) == {copy.pk}
    assert copies.copies_since([(copy, line)], LATER) == {copy.pk}
    other_deal = make_deal(VARIANT, day=DAY - timedelta(days=1), seed=bytes([1]) * 32)
    for change in ({"ranked": False}, {"state": State.REVIEW}, {"deal": other_deal}):
        Attempt.objects.filter(pk=first.pk).update(**change)
        assert copies.may_be_copied([(copy, line)], []) == {copy.pk: []}
        assert copies.copies_since([(copy, line)], LATER) == set()
        Attempt.objects.filter(pk=first.pk).update(ranked=True, state=State.VERIFIED, deal=deal)


@pytest.mark.parametrize(("of", "wanted"), [("plot", 10.0), ("tarot", 10.0), ("braid", 14.0)])
def test_a_copy_needs_enough_bits_in_common(of: str, wanted: float, monkeypatch: pytest.MonkeyPatch) -> None:
    for bits, enough in ((wanted, True), (wanted - 0.5, False)):
        decided = {1: bits - 1.0, 2: 1.0}
        monkeypatch.setattr(copies, "weights", Mock(return_value=decided))
        assert copies.is_copy(decided, decided, of) is enough
        assert copies.can_be_copy(Attempt(deal=Deal(game=of))) is enough
        # A shared decision counts with the lower of its two weights.
        assert not copies.is_copy(decided, {1: 1.0, 2: 1.0}, of)
        assert not copies.is_copy({1: 1.0, 2: 1.0}, decided, of)


def test_a_copy_shares_nearly_all_of_the_smaller_sketch() -> None:
    much = {1: 17.0, 3: 50.0}
    for less, found in (({1: 17.0, 2: 3.0}, True), ({1: 17.0, 2: 3.1}, False)):
        assert copies.is_copy(less, much, "plot") is found
        assert copies.is_copy(much, less, "plot") is found


@database
def test_the_sketch_stored_at_closing_equals_the_verdicts(deal: Deal) -> None:
    attempt = Attempt.objects.create(deal=deal, player=make_account(), ranked=True, started_at=NOON)
    tokens = disguised(VARIANT, SEED, LINE, Random(2))
    add_moves(attempt, *tokens)
    closed = close_attempt(attempt.pk, "won")
    assert (
        closed.decisions_digest
        == judge_alone(closed).decisions_digest
        == copies.digest_of(open_table(VARIANT, SEED), LINE)
    )


@database
@pytest.mark.parametrize(("ranked", "moves", "how"), [(False, None, "won"), (True, -1, "resigned")])
def test_no_sketch_is_stored_for_practice_or_losses(deal: Deal, ranked: bool, moves: int | None, how: How) -> None:
    attempt = Attempt.objects.create(deal=deal, player=make_account(), ranked=ranked, started_at=NOON)
    add_moves(attempt, *LINE[:moves])
    assert close_attempt(attempt.pk, how).decisions_digest is None


def test_undone_moves_are_no_decisions() -> None:
    record = won_records("stonewall")[0]
    line, seed = record.tokens, record.seed
    plain = {one for one in decisions(open_table("stonewall", seed), line) if one is not None}
    for number in range(5):
        disguise = disguised("stonewall", seed, line, Random(number), undone=0)
        assert {one for one in decisions(open_table("stonewall", seed), disguise) if one is not None} == plain


@pytest.mark.parametrize("variant", ["tarot", "plot", "stonewall"])
def test_the_first_legal_move_weighs_nothing(variant: str) -> None:
    table, tokens = open_table(variant, bytes(32)), list[str]()
    while len(tokens) < 150 and (legal := [one for one in table.legal_moves() if not one.endswith("f")]):
        tokens.append(legal[0])
        table.push(legal[0])
    decided = decisions(open_table(variant, bytes(32)), tokens)
    bits = weighed(open_table(variant, bytes(32)), tokens, decided)
    assert sum(weight for found, weight in bits.items() if found in decided) == 0.0


def test_decisions_of_all_winners_are_not_stored() -> None:
    assert copies.digest_of(open_table("labyrinth", bytes(32)), ()) is None


def test_a_waste_card_left_for_later_is_a_choice() -> None:
    record = won_records("braid")[2]
    bits = copies.weights(record.to_bytes())
    passed, put = ({decided >> 8 for decided in bits if decided & 0xFF == onto} for onto in (0xFE, 0xFF))
    assert passed & put == {14, 17, 30}
    assert {bits[card << 8 | 0xFE] for card in passed} == {1.0}


@database
def test_a_win_with_few_decisions_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Easy deals have many similar wins, whose records would take long to read."""
    record = won_records("pigtail")[0]
    deal = make_deal("pigtail", DAY, seed=record.seed)
    weights = Mock(side_effect=copies.weights)
    monkeypatch.setattr(copies, "weights", weights)
    for _ in range(3):
        won(deal, record.tokens)
    assert judge(later(deal, record.tokens)).state == State.VERIFIED
    weights.assert_called_once()


@database
def test_the_later_of_concurrent_verdicts_goes_to_review(deal: Deal) -> None:
    first, copy = later(deal, started_at=LATER), later(deal, started_at=LATER + timedelta(minutes=1))
    settle(copy.pk)
    assert Result.objects.get().attempt == copy
    settle(first.pk)
    assert [Attempt.objects.get(pk=one.pk).state for one in (first, copy)] == [State.VERIFIED, State.REVIEW]
    assert Result.objects.get().attempt == first


@database
def test_staff_decisions_are_final(deal: Deal) -> None:
    first, copy = later(deal, started_at=LATER), later(deal, started_at=LATER + timedelta(minutes=1))
    settle(copy.pk)
    decide(copy.pk, State.VERIFIED, "staff")
    settle(first.pk)
    assert [Attempt.objects.get(pk=one.pk).state for one in (first, copy)] == [State.VERIFIED] * 2


def with_tokens(record: Record, tokens: list[str]) -> Record:
    clock = tuple(range(0, 900 * len(tokens), 900))
    return Record(record.version, record.name, None, record.seed, tuple(tokens), clock, End("won", clock[-1]))


def shown(found: Alignment, side: int) -> list[str]:
    return [cell.token for row in found.rows if (cell := (row.left, row.right)[side]) is not None]


@pytest.mark.parametrize("variant", ["stonewall", "tarot", "plot", "braid"])
def test_a_line_is_aligned_with_itself(variant: str) -> None:
    record = won_records(variant)[0]
    found = align(record, record)
    assert all(row.same for row in found.rows)
    assert shown(found, 0) == shown(found, 1) == list(record.tokens)
    assert found.likeness == 1.0
    assert found.common_bits == pytest.approx(found.bits[0]) == pytest.approx(found.bits[1])


@pytest.mark.parametrize("variant", ["stonewall", "tarot"])
def test_a_disguised_copy_is_aligned_with_its_original(variant: str) -> None:
    record = won_records(variant)[0]
    copied = disguised(variant, record.seed, record.tokens, Random(variant))
    found = align(record, with_tokens(record, copied))
    assert shown(found, 0) == list(record.tokens)
    assert shown(found, 1) == copied
    decided = [row.left for row in found.rows if row.left is not None and row.left.decides]
    assert sum(cell.common for cell in decided) >= 0.9 * len(decided)
    assert sum(row.same for row in found.rows) > len(record.tokens) / 2
    assert found.likeness >= 0.7


def test_undone_moves_are_marked() -> None:
    record = won_records("stonewall")[0]
    other = next(token for token in record.open_table().legal_moves() if token != record.tokens[0])
    found = align(record, with_tokens(record, [other, "u", *record.tokens]))
    apart = [(row.right.token, row.right.undone) for row in found.rows if row.right is not None and not row.same]
    assert apart == [(other, True), ("u", True)]
    assert sum(row.same for row in found.rows) == len(record.tokens)


def test_two_different_games_share_little() -> None:
    record = won_records("stonewall")[0]
    table = played("stonewall", record.seed, Random(1), strays=0.8)
    found = align(record, with_tokens(record, list(table.moves)))
    assert found.likeness < 0.7
    assert shown(found, 1) == list(table.moves)


def test_gaps_by_kind_of_token_leave_out_the_servers() -> None:
    record = Record(
        1,
        "tarot",
        None,
        bytes(32),
        ("d", "w-t1", "u", "n", "t1-f"),
        (500, 1_700, 1_900, 5_000, 5_000),
        End("closed", 9_000),
    )
    gaps = gaps_of(record, [[5, 5]])
    assert [(gap.n, gap.kind, gap.ms) for gap in gaps] == [
        (1, Kind.DRAW, 500),
        (2, Kind.PLAY, 1_200),
        (3, Kind.UNDO, 200),
        (4, Kind.DRAW, 3_100),
        (5, Kind.SERVED, 0),
    ]
    draws = next(one for one in spreads(gaps) if one.kind == Kind.DRAW)
    assert (draws.number, draws.shortest, draws.middle, draws.longest) == (2, 500, 1_800, 3_100)
