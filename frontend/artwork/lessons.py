"""Generator of the lessons on the rules pages: ``python -m frontend.artwork.lessons`` (frontend/static/lessons).

A lesson is a position near the end of a game from which few others can be reached. Each of these is stored with the
player's view, the result of every legal move, and the reasons why other cards cannot move, so the browser plays the
lesson without the server.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from games.live.autofinish import winning_run
from games.rules import GAMES, Table, from_position
from games.rules.cards import TWO_FRENCH
from games.rules.explanations import explain
from games.rules.illegal_reasons import IllegalMoveReason

OUT = Path(__file__).resolve().parents[2] / "frontend" / "static" / "lessons"
#: The most positions in a lesson's graph.
MOST_POSITIONS = 300
#: View facts that depend on the path to a position; the page tracks them itself.
BY_THE_WAY = ("moves", "can_undo")

Reasons = list[dict[str, str | int]]
Answers = dict[str, Any]

FRENCH = "A23456789TJQK"
MINORS = "A23456789TPNQK"


@dataclass(frozen=True)
class Lesson:
    """A lesson: its start position, the conditions of its texts, and its aim.

    `steps` are tried in order. The index of the first one that holds selects the text on the game's page. If none
    holds, the last text is shown: either the rest plays by itself, or the aim is reached.
    """

    start: str
    steps: tuple[Callable[[Table], bool], ...]
    is_done: Callable[[Table], bool] = lambda table: table.is_won


def suit(letter: str, last: str, ranks: str = FRENCH) -> str:
    """Return a suit's foundation from the ace up to a rank."""
    return ".".join(rank + letter for rank in ranks[: ranks.index(last) + 1])


def top(table: Table, name: str) -> str:
    """Return the top card of a pile, or an empty string for an empty pile."""
    pile = table.pile(name)
    return table.DECK.names[pile[-1]] if pile else ""


def goes_up(table: Table) -> bool:
    """Return True if a card can move to a foundation."""
    return any(token.endswith("-f") for token in table.legal_moves())


def line(game: str, piles: dict[str, str], *facts: str) -> str:
    """Return the text form of a position, with its piles in the canonical order."""
    written = (f"{name} {piles[name]}" for name in GAMES[game].pile_names() if name in piles)
    return " | ".join([game, *facts, *written])


def plot_start() -> str:
    """Return a Plot position shortly before its first foundation, built from four, is full."""
    left = Counter(TWO_FRENCH.names[card] for card in TWO_FRENCH.cards)

    def take(*cards: str) -> str:
        left.subtract(cards)
        return ".".join(cards)

    def run(ranks: str) -> str:
        """Take cards of these ranks, each of the suit with the most cards left."""
        return ".".join(take(max((rank + letter for letter in "SHDC"), key=lambda c: (left[c], c))) for rank in ranks)

    piles = {"f0": take("4H", "5S", "6D", "7C", "8H", "9S", "TD", "JC", "QH", "KS"), "t0": take("AD")}
    waste, reserve, piles["s"] = take("9D", "2C", "4S"), take("6C", "3H"), take("9C")
    for place, ranks in enumerate(("KQJ", "AKQJ", "QJ", "2AKQJ", "KQJ", "QJ", "T98", "98", "QJT98", "T98", "98"), 1):
        piles[f"t{place}"] = run(ranks)
    rest = [card for rank in "5273A6QK948TJ" for letter in "HSDC" for card in [rank + letter] * left[rank + letter]]
    piles["r"] = ".".join([*rest[:6], reserve])
    piles["w"] = ".".join([*rest[6:], waste])
    return line("plot", piles)


LESSONS = {
    "braid": Lesson(
        line(
            "braid",
            {
                **{f"t{cell}": f"{rank}C" for cell, rank in zip((1, 2, 3, *range(5, 12)), "3456789TJQ", strict=True)},
                "r": "KC.QH.KS",
                "w": "2C.QD.KD.QS.KH",
                **{f"f{slot}": suit(letter, "J") for slot, letter in enumerate("SHD")},
                "f3": "AC",
                **{f"f{slot}": suit(letter, "K") for slot, letter in enumerate("SHDC", 4)},
            },
            "rounds=0",
        ),
        (
            lambda table: (top(table, "r"), top(table, "w")) == ("KS", "KH"),
            goes_up,
            lambda table: top(table, "w") == "KD",
            lambda table: not goes_up(table),
        ),
    ),
    "labyrinth": Lesson(
        line(
            "labyrinth",
            {
                **{
                    f"t{c}": card for c, card in enumerate(["6S", "KH", "QD", "QS", "9S", "KS", "TS", "JH", "8S", "9H"])
                },
                "s": "7S.QH.TH.KD.JS.5S",
                **{f"f{slot}": suit(*last) for slot, last in enumerate(("S4", "H8", "DJ", "CK"))},
            },
            "rows=2",
        ),
        (
            lambda table: table.unseen_facts() == {"rows": 2} and top(table, "t9") == "9H",
            lambda table: table.unseen_facts() == {"rows": 2} and top(table, "t2") == "QD",
            lambda table: bool(table.stock),
            lambda table: not table.is_won,
        ),
    ),
    "tarot": Lesson(
        line(
            "tarot",
            {
                **{f"t{n}": pile for n, pile in enumerate(["*M0.M20", "M21", "PC", "QC.NC", "KC", "*M18.M19"])},
                **{
                    f"f{slot}": suit(letter, last, MINORS)
                    for slot, (letter, last) in enumerate(zip("WCSP", "KTKK", strict=True))
                },
                "f4": ".".join(f"M{number}" for number in range(1, 18)),
            },
        ),
        (
            lambda table: top(table, "t5") == "M19",
            lambda table: any(top(table, f"t{n}") == "M19" for n in range(9)) or top(table, "t5") == "M18",
            goes_up,
        ),
    ),
    "plot": Lesson(
        plot_start(),
        (
            lambda table: top(table, "t0") == "AD",
            lambda table: top(table, "w") == "4S",
            lambda table: top(table, "w") == "2C",
            lambda table: top(table, "r") == "3H",
            lambda table: not table.pile("f1"),
        ),
        lambda table: bool(table.pile("f1")),
    ),
    "stonewall": Lesson(
        line(
            "stonewall",
            {
                **{f"t{n}": pile for n, pile in enumerate(["*JH.7S", "*6S.TS", "KH", "KS", "9S", "JS"])},
                **{f"r{n}": card for n, card in enumerate(["QS", "QH", "8S"])},
                **{f"f{slot}": suit(*last) for slot, last in enumerate(("S5", "HT", "DK", "CK"))},
            },
        ),
        (
            lambda table: top(table, "t3") == "KS" and bool(table.pile("r1")),
            lambda table: top(table, "t5") == "JS",
            lambda table: top(table, "t1") == "TS",
            goes_up,
            lambda table: not goes_up(table),
        ),
    ),
}


def graph(lesson: Lesson) -> list[dict[str, Any]]:
    """Return every reachable position: the first one whole, each other as changes from a position that leads to it.

    Where foundation moves alone win, only the next of them is stored, marked as `run`.
    """
    places = {lesson.start: 0}
    reasons: list[Reasons] = []
    found: list[dict[str, Any]] = [{"view": shared_view(from_position(lesson.start)), "reasons": reasons}]
    answers: list[Answers] = []
    waiting = deque([lesson.start])
    while waiting:
        text = waiting.popleft()
        here, entry = from_position(text), found[places[text]]
        answers.append(answered(here, reasons))
        entry["why"] = changed_answers(answers[entry["of"]] if "of" in entry else {}, answers[-1])
        entry["say"] = next((n for n, holds in enumerate(lesson.steps) if holds(here)), len(lesson.steps))
        if lesson.is_done(here):
            entry["done"] = True
            continue
        tokens: Sequence[str] = here.legal_moves()
        if run := winning_run(here):
            tokens, entry["run"], entry["say"] = run[:1], True, len(lesson.steps)
        before, entry["moves"] = shared_view(here), {}
        for token in tokens:
            here.push(token)
            following = here.position()
            if following not in places:
                if len(places) == MOST_POSITIONS:
                    raise SystemExit(f"more than {MOST_POSITIONS} positions can be reached")
                places[following] = len(places)
                found.append({"of": places[text], "changes": changed(before, shared_view(here))})
                waiting.append(following)
            entry["moves"][token] = places[following]
            here.pop()
    return found


def answered(table: Table, reasons: list[Reasons]) -> Answers:
    """Return the reasons why cards cannot move, by pile and number of cards, as ``t3`` or ``t3x2``.

    An answer is the index in `reasons` of the most common reason, with the indexes for target piles where it differs.
    ``f0`` stands for every foundation.
    """
    found: Answers = {}
    for pile in [name for name in table.pile_names() if name[0] not in "fs"]:
        places = ["", "f0", *(name for name in table.VOCABULARY.piles if name[0] in "tr" and name != pile)]
        for cards in range(1, len(table.pile(pile)) + 1):
            numbers = {to: noted(explain(table, pile, cards, to), reasons) for to in places}
            usual, _times = Counter(numbers.values()).most_common(1)[0]
            others = {to: number for to, number in numbers.items() if number != usual}
            found[pile if cards == 1 else f"{pile}x{cards}"] = [usual, others] if others else usual
    for pile in [name for name in ("s", "f0") if name in table.pile_names()]:
        found[pile[0]] = noted(explain(table, pile), reasons)
    return found


def noted(why: tuple[IllegalMoveReason, ...], reasons: list[Reasons]) -> int:
    """Return the index of an answer in `reasons`, adding the answer if it is new."""
    data = [reason.to_json() for reason in why]
    if data not in reasons:
        reasons.append(data)
    return reasons.index(data)


def changed_answers(before: Answers, after: Answers) -> Answers:
    """Return the changed answers. Answers that no longer apply are null."""
    removed = dict.fromkeys(before.keys() - after.keys())
    return {**{name: answer for name, answer in after.items() if before.get(name) != answer}, **removed}


def shared_view(table: Table) -> dict[str, Any]:
    """Return the parts of the player's view that do not depend on how the position was reached."""
    return {name: value for name, value in table.view().items() if name not in BY_THE_WAY}


def changed(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Return the piles and facts that differ between two views, in the form of a move's changes."""
    piles = {name: cards for name, cards in after["piles"].items() if cards != before["piles"][name]}
    names = {*before["under"], *after["under"]}
    under = {name: after["under"].get(name, 0) for name in sorted(names)}
    small = {name: value for name, value in after.items() if name not in ("game", "options", "piles", "under")}
    return {
        "piles": piles,
        "under": {name: count for name, count in under.items() if count != before["under"].get(name, 0)},
        **{name: value for name, value in small.items() if value != before[name]},
    }


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    for game, lesson in LESSONS.items():
        (OUT / f"{game}.json").write_text(json.dumps(graph(lesson), separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
