"""Soak: it finds nothing in the unchanged service, and finds every kind of fault."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from operator import setitem
from pathlib import Path

import pytest

from games.rules import open_table
from tests.services.soak.breaking import CALM, KINDS, plan
from tests.services.soak.checking import Boards, Deal, Game, Kept, Line, Seasons, find_faults
from tests.services.soak.running import Wish, soak

DEAL = Deal(7, "stonewall", "5a" * 32)
SERVERS = ("web0", "web1")


@pytest.mark.needs("pgbouncer")
@pytest.mark.services
@pytest.mark.slow
def test_a_short_soak_behind_pgbouncer_finds_nothing_wrong(cluster: Path, tmp_path: Path) -> None:
    """`make soak` runs one without PgBouncer; `test_faults` covers each fault on its own."""
    outcome = soak(Wish(seconds=16, seed=20261121, players=30, hurried=True, pooled=True), tmp_path, print, cluster)
    assert outcome.faults == []
    assert set(outcome.blows) == set(KINDS)
    assert outcome.tally.tokens > 100
    assert outcome.verdicts["verified"] > 20
    assert outcome.races, "ratings are folded under a lock and copied in bulk"


class History:
    """An honest history of three players at one deal; tests manipulate it."""

    def __init__(self) -> None:
        self.games: list[Game] = []
        self.kept: list[Kept] = []
        lines = []
        # Each player makes random moves; the boards are ranked from the results.
        for number, tokens in enumerate((40, 25, 10)):
            game, kept, cards_up = played(number, tokens)
            self.games.append(game)
            self.kept.append(kept)
            lines.append((cards_up, kept))
        lines.sort(key=lambda line: (-line[0], line[1].end_ms))
        board = [
            Line(rank, kept.player, cards_up, kept.end_ms, len(kept.tokens))
            for rank, (cards_up, kept) in enumerate(lines, 1)
        ]
        fewest = sorted(board, key=lambda line: (-line.cards_up, line.tokens))
        self.boards: Boards = {}
        self.seasons: Seasons = {}
        for server in SERVERS:
            self.boards[DEAL.id, "race", server] = list(board)
            self.boards[DEAL.id, "fewest", server] = [
                Line(rank, line.player, line.cards_up, line.elapsed_ms, line.tokens)
                for rank, line in enumerate(fewest, 1)
            ]
            for variant in ("", DEAL.variant):
                self.seasons["all", variant, "race", server] = [replace(line) for line in board]

    def faults(self) -> list[str]:
        return find_faults(self.games, self.kept, [DEAL], self.boards, self.seasons)


def played(number: int, length: int) -> tuple[Game, Kept, int]:
    """Return a resigned game of ``length`` tokens: the player's view, the stored attempt, and its cards up."""
    table, choose = open_table(DEAL.variant, bytes.fromhex(DEAL.seed)), random.Random(number)
    game = Game(f"attempt{number}", f"player{number}")
    tokens, clock = [], []
    for n in range(1, length + 1):
        tokens.append(choose.choice(table.legal_moves()))
        clock.append(n * 1000 + number)
        table.push(tokens[-1])
        game.acknowledged[n] = tokens[-1], clock[-1]
    game.views.append((length, json.loads(json.dumps(table.view()))))
    game.ended = "resigned"
    game.verdicts.append({"state": "verified", "rank": number + 1})
    end = clock[-1] + 500
    finished = f"2026-11-21T12:00:0{number}+00:00"
    kept = Kept(
        game.attempt, game.player, DEAL.id, "verified", "resigned", end, tokens, clock, finished, results=[number + 1]
    )
    return game, kept, table.cards_up


def test_an_honest_history_has_no_faults() -> None:
    assert History().faults() == []


def _lose_a_token(history: History) -> None:
    history.kept[0].tokens.pop()
    history.kept[0].clock.pop()


def _lose_a_token_in_the_middle(history: History) -> None:
    del history.games[1].acknowledged[3]
    history.kept[1].tokens[2], history.kept[1].tokens[3] = history.kept[1].tokens[3], history.kept[1].tokens[2]


def _reject_it(history: History) -> None:
    vars(history.kept[0]).update(state="rejected", results=[])
    history.games[0].verdicts.clear()


def _show_a_hidden_card(history: History) -> None:
    view = history.games[0].views[0][1]
    hidden = [pile for pile in view["piles"].values() if None in pile]
    if hidden:
        hidden[0][hidden[0].index(None)] = "KS"
    else:
        view["seen"] = "KS"


def board(history: History, name: str = "race", server: str = "web0") -> list[Line]:
    return history.boards[DEAL.id, name, server]


@pytest.mark.parametrize(
    ("doctor", "complaint"),
    [
        (_lose_a_token, "was acknowledged and is lost"),
        (_lose_a_token_in_the_middle, "was acknowledged as"),
        (lambda history: setitem(history.kept[0].clock, 4, 5_500), "was acknowledged as"),
        (lambda history: history.kept.pop(0), "is not in the database"),
        (lambda history: history.kept[1].results.append(99), "verified with 2 results"),
        (lambda history: history.kept[1].results.clear(), "verified with 0 results"),
        (lambda history: vars(history.kept[2]).update(state="pending", results=[]), "is left pending"),
        (lambda history: vars(history.kept[2]).update(state="playing", end="", results=[]), "is left playing"),
        (lambda history: history.games[0].verdicts.append({"state": "review", "rank": None}), "was told review"),
        (_reject_it, "an honest game was rejected"),
        (lambda history: vars(history.kept[0]).update(end="closed"), "was told resigned"),
        (lambda history: board(history, server="web1").reverse(), "instead of"),
        (lambda history: [vars(line).update(rank=1) for line in board(history, "fewest")], "instead of"),
        (lambda history: board(history).pop(), "2 lines instead of 3"),
        (lambda history: board(history).append(board(history)[-1]), "4 lines instead of 3"),
        (lambda history: vars(board(history)[0]).update(cards_up=0), "instead of"),
        (lambda history: history.boards.clear(), "no board was shown"),
        (
            lambda history: history.seasons["all", "", "race", "web1"].pop(),
            "all of all, race of web1: 2 lines instead of 3",
        ),
        (
            lambda history: vars(history.seasons["all", DEAL.variant, "race", "web0"][1]).update(elapsed_ms=1),
            f"all of {DEAL.variant}, race of web0",
        ),
        (_show_a_hidden_card, "is not what may be seen"),
        (lambda history: history.games[2].views.append((11, {})), "and there are 10"),
        (lambda history: history.games[0].complaints.append("refused: illegal_move"), "refused: illegal_move"),
    ],
)
def test_a_doctored_history_is_detected(doctor: Callable[[History], object], complaint: str) -> None:
    history = History()
    doctor(history)
    assert any(complaint in fault for fault in history.faults()), history.faults()


def test_a_seed_reproduces_the_blows_of_every_kind() -> None:
    for seed in range(30):
        blows = plan(seed, 20)
        assert blows == plan(seed, 20)
        assert {blow.kind for blow in blows} == set(KINDS)
        assert [blow.at for blow in blows] == sorted(blow.at for blow in blows)
        assert all(CALM <= blow.at <= 20 - CALM for blow in blows)
    assert plan(1, 20) != plan(2, 20)
    assert len(plan(1, 600)) > 100
