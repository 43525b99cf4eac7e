"""Generator of the lessons on the rules pages: ``python -m frontend.artwork.lessons`` (frontend/static/lessons).

A lesson is a position near the end of a game from which few others can be reached. Each of these is stored with the
player's view, the result of every legal move, and the reasons why other cards cannot move, so the browser plays the
lesson without the server.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from games.live.autofinish import winning_run
from games.manifests import MANIFESTS
from games.manifests.lesson import Lesson
from games.rules import Table, from_position
from games.rules.explanations import explain
from games.rules.illegal_reasons import IllegalMoveReason

OUT = Path(__file__).resolve().parents[2] / "frontend" / "static" / "lessons"
#: The most positions in a lesson's graph.
MOST_POSITIONS = 300
#: View facts that depend on the path to a position; the page tracks them itself.
BY_THE_WAY = ("moves", "can_undo")

Reasons = list[dict[str, str | int]]
Answers = dict[str, Any]


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
    removed = dict.fromkeys(name for name in before if name not in after)
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


def written(lesson: Lesson) -> str:
    """Return the text of a lesson's file."""
    return json.dumps(graph(lesson), separators=(",", ":")) + "\n"


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    for game, manifest in MANIFESTS.items():
        (OUT / f"{game}.json").write_text(written(manifest.lesson))


if __name__ == "__main__":
    main()
