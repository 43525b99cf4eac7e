"""Dead ends, beside a search of every sequence of moves by the reference rules."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from games.live.dead_ends import first_dead_end, is_dead_end
from games.rules import CATALOGUE, MAX_TOKENS, Table, from_position, open_table
from games.rules.hidden_cards import Unseen
from tests.games.conftest import Sit
from tests.rules.reference import state as reference
from tests.rules.reference.table import GAMES

#: A dead end of Tarot with more positions than a search looks at.
LARGE = (
    "tarot | t0 *2W.*AC.*QP.*M16.*QS.6S.5C.M13 | t1 *M5.*9P.*M3.*M2.*M14.*PS.4W.3C.M20"
    " | t2 *TS.*6P.*5S.*6C.*M8.*7C.*M12.PP | t3 KP.QW.NP | t4 *8C.*M0.*TC.9S.M17.7P.M15 | t5 *TW.*M19.*8W.*PW.M9"
    " | t6 *KW.*NW.4C.3W.M11 | t7 KS.QC.NS.PC | t8 M21.2C.M10.9W.8P.7S.M6.5P.M4"
    " | w 4S.KC.8S.NC.TP.7W.M7.9C.5W.M18.6W | f0 AW | f2 AS.2S.3S | f3 AP.2P.3P.4P | f4 M1"
)
#: A position of Tarot in which the two of pentacles goes to the foundation once it turns up.
TURNED_LATER = (
    "tarot | t0 *8W.*QC.*3W.*3P.*TS.*5P.*3C.*9P.NC | t1 *AS.*QS.*KC.*5W.*7C.*AW.*6P.M4 | t2 *3S.*7W.*M1.*8C.*5S.*4P.M13"
    " | t3 *8S.*4S.*M21.*M9.*5C.*QP.NS | t4 *TW.*M2.*TP.*M5.*PC.M20 | t5 *TC.*M14.*4W.M11"
    " | t6 *2S.*PP.*M0.QW.NP.PW.M19.9W.M8.7S.M6 | t7 *M10.*4C.8P.M16.6S | t8 M17"
    " | w M7.6C.KS.NW.PS.6W.M18.M3.7P.2P.2W.KP.M12.9S.9C.KW | s M15 | f1 AC.2C | f3 AP"
)
#: Positions that the slow search looks at, and games of a variant in which no report may be false, with `--full`.
MOST, GAMES_IN_FULL = 600, 5_000
VARIANTS = pytest.mark.parametrize("variant", CATALOGUE)


def random_game(variant: str, dice: random.Random) -> Iterator[Table]:
    """Yield a game's positions after random moves that favour the foundations."""
    table = open_table(variant, dice.randbytes(32))
    while (legal := table.legal_moves()) and table.token_count < 400:
        up = [token for token in legal if token.endswith("-f")]
        table.push(dice.choice(up if up and dice.random() < 0.8 else legal))
        yield table


def as_reference(table: Table) -> reference.State:
    view, names = table.view(), table.DECK.names
    piles = {name: [names[card] for card in table.pile(name)] for name in view["piles"]}
    if "s" in piles:
        piles["s"].reverse()
    down = {name: {k for k, card in enumerate(cards) if card is None} for name, cards in view["piles"].items()}
    return reference.State(
        options=view["options"],
        piles=piles,
        face_down={name: places for name, places in down.items() if name.startswith("t")},
        rounds_left=table.rounds_left,
        base=view.get("base", ""),
        direction=view.get("direction"),
        rows=view.get("rows", 0),
    )


def progress(state: reference.State) -> tuple[int, int]:
    return reference.cards_up(state), sum(map(len, state.face_down.values()))


def leads_on(table: Table) -> bool | None:
    """Search every sequence of moves; return None after too many positions."""
    if not table.stock_is_known:
        return True
    rules, start = GAMES[table.GAME], as_reference(table)
    seen, queue = {repr(start)}, deque([start])
    while queue:
        state = queue.popleft()
        for token in sorted(rules.legal(state)):
            after = reference.copy(state)
            rules.play(after, token)
            if progress(after) != progress(start):
                return True
            if repr(after) not in seen:
                seen.add(repr(after))
                queue.append(after)
        if len(seen) > MOST:
            return None
    return False


@VARIANTS
def test_dead_ends_are_those_of_the_slow_search(variant: str, request: Any) -> None:
    dice = random.Random(random.getrandbits(64))
    compared, full = 0, request.config.getoption("full")
    for _ in range(GAMES_IN_FULL if full else 30):
        for table in random_game(variant, dice):
            if table.stock_is_known and not table.is_won and dice.random() < 0.05:
                position, leads = table.position(), leads_on(table)
                compared += leads is not None
                assert leads is None or is_dead_end(table) == (not leads), position
                assert table.position() == position
        if compared >= 15 and not full:
            break


def test_a_large_dead_end_of_tarot_is_proven_without_a_search() -> None:
    assert is_dead_end(from_position(LARGE))
    assert not is_dead_end(from_position(LARGE.replace("M9 |", "M9.2W |").replace("*2W.*AC", "*AC")))


def test_a_card_that_turns_up_later_and_goes_to_a_foundation_is_no_dead_end() -> None:
    table = from_position(TURNED_LATER)
    for token in ("d", "n", "d"):
        table.push(token)
    assert not is_dead_end(table)


@VARIANTS
def test_the_report_does_not_depend_on_hidden_cards(variant: str) -> None:
    dice = random.Random(random.getrandbits(64))
    for table in random_game(variant, dice):
        is_new = not table.stock or "n" not in table.moves  # else the player knows the stock
        if is_new and dice.random() < 0.3:
            unseen = Unseen.at(table)
            for cards in unseen.deals(table, dice, 2)[1:]:
                assert is_dead_end(unseen.with_cards(table, cards)) == is_dead_end(table)


def test_the_first_dead_end_is_found_among_the_moves() -> None:
    dice = random.Random(random.getrandbits(64))
    while True:
        *_, table = random_game("stonewall", dice)
        if is_dead_end(table) and table.legal_moves():
            break
    assert not table.is_stuck, "cards still move to and fro"
    position, dead_from = table.position(), first_dead_end(table)
    assert table.position() == position
    assert dead_from is not None
    while len(table.moves) > dead_from:
        table.pop()
    assert is_dead_end(table)
    table.pop()
    assert not is_dead_end(table)
    assert first_dead_end(table) is None


@pytest.mark.parametrize("left", range(4))
def test_a_record_almost_full_is_left_as_it_was(left: int) -> None:
    table = open_table("tarot", random.randbytes(32))
    while not (table.stock_is_known and table.stock):
        table.push("d" if table.stock else "n")
    table.token_count = MAX_TOKENS - left
    position, moves = table.position(), table.moves
    is_dead_end(table)
    assert (table.position(), table.moves, table.token_count) == (position, moves, MAX_TOKENS - left)


@pytest.mark.django_db(transaction=True)
async def test_undo_to_the_last_choice(attempt_at: Any, sit: Sit) -> None:
    dice = random.Random(random.getrandbits(64))
    seed = dice.randbytes(32)
    table = open_table("stonewall", seed)
    attempt = await sync_to_async(attempt_at)("stonewall", seed)
    seat = sit(attempt)
    await seat.sit()
    while not is_dead_end(table):
        table.push(dice.choice(table.legal_moves()))
        moved = await seat.move(table.moves[-1])
    assert moved["stuck"]
    for token in ("u", table.moves[-1]):
        moved = await seat.move(token)
    while table.legal_moves() and len(table.moves) % 5:
        table.push(table.legal_moves()[0])
        moved = await seat.move(table.moves[-1])
    assert moved["stuck"]
    view = await seat.ask({"type": "rewind", "n": moved["n"] + 1, "to_choice": True})
    assert not view["stuck"]
    dead_from = first_dead_end(table)
    assert dead_from is not None
    while len(table.moves) >= dead_from:
        table.pop()
    assert view["view"]["piles"] == table.view()["piles"]
    assert (await seat.ask({"type": "rewind", "n": view["n"] + 1, "to_choice": True}))["code"] == "illegal_move"
