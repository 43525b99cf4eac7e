"""Late-game situations that random play must reach before its comparisons count."""

from __future__ import annotations

from collections.abc import Callable

from tests.rules.reference import SlowTable

Situation = Callable[[SlowTable], bool]


def _last(slow: SlowTable) -> str:
    return slow.moves[-1] if slow.moves else ""


def _count(slow: SlowTable, letter: str, size: int) -> int:
    return sum(len(cards) == size for name, cards in slow.state.piles.items() if name[0] == letter)


def _filled(slow: SlowTable) -> bool:
    """Return whether the last token moved cards into a space, and no other card lies there."""
    if "-t" not in _last(slow):
        return False
    target, _, count = _last(slow).split("-")[1].partition("x")
    return len(slow.state.piles[target]) == int(count or 1)


def _unit(slow: SlowTable, least: int) -> bool:
    return "x" in _last(slow) and int(_last(slow).split("x")[1]) >= least


def _short_row(slow: SlowTable) -> bool:
    """Return whether Labyrinth's last row was dealt short, which shows only right after the deal."""
    row = 8 * (slow.state.rows - 1)
    return _last(slow) == "d" and any(not slow.state.piles[f"t{cell}"] for cell in range(row, row + 8))


WON: dict[str, Situation] = {"won": lambda slow: slow.won}
STUCK: dict[str, Situation] = {"stuck": lambda slow: slow.stuck}

BRAID: dict[str, Situation] = {
    **WON,
    **STUCK,
    "last pass": lambda slow: slow.state.rounds_left == 0,
    "braid used up": lambda slow: not slow.state.piles["r"],
    "waste card to an inner cell": lambda slow: _last(slow) in ("w-t0", "w-t1", "w-t2", "w-t3"),
    "braid card to an inner cell": lambda slow: _last(slow) in ("r-t0", "r-t1", "r-t2", "r-t3"),
    "all eight foundations begun": lambda slow: _count(slow, "f", 0) == 0,
}
TAROT: dict[str, Situation] = {
    **WON,
    "empty pile": lambda slow: _count(slow, "t", 0) > 0,
    "space filled": _filled,
    "unit of three": lambda slow: _unit(slow, 3),
    "second round": lambda slow: "n" in slow.moves,
    "trump up": lambda slow: len(slow.state.piles["f4"]) > 0,
    "everything face up": lambda slow: not any(slow.state.face_down.values()),
}

SITUATIONS: dict[str, dict[str, Situation]] = {
    "braid": BRAID,
    "braid-either": {
        **BRAID,
        "won upwards": lambda slow: slow.won and slow.state.direction == "up",
        "won downwards": lambda slow: slow.won and slow.state.direction == "down",
    },
    "pigtail": BRAID,
    "labyrinth": {
        **WON,
        **STUCK,
        "short last row": _short_row,
        "no refill from an empty stock": lambda slow: not slow.state.piles["s"] and not slow.state.piles["t0"],
        "card freed by a neighbour": lambda slow: any(
            8 <= int(cell[1:]) < 8 * (slow.state.rows - 1) for cell in slow.view()["free"]
        ),
    },
    "tarot": {**TAROT, **STUCK, "Fool moved": lambda slow: any(cards[-1:] == ["M0"] for cards in _tableau(slow))},
    "tarot-novice": TAROT,
    "tarot-adept": {**TAROT, **STUCK, "Fool up": lambda slow: "M0" in slow.state.piles["f4"]},
    "plot": {
        **WON,
        **STUCK,
        "phase two": lambda slow: len(slow.state.piles["f0"]) == 13,
        "base card to a space": lambda slow: _filled(slow) and len(slow.state.piles["f0"]) < 13,
        "any card to a space": lambda slow: _filled(slow) and len(slow.state.piles["f0"]) == 13,
        "reserve used up": lambda slow: not slow.state.piles["r"],
    },
    "stonewall": {
        **WON,
        **STUCK,
        "empty pile": lambda slow: _count(slow, "t", 0) > 0,
        "space filled": _filled,
        "unit of three": lambda slow: _unit(slow, 3),
        "reserve used up": lambda slow: _count(slow, "r", 0) == 16,
        "everything face up": lambda slow: not any(slow.state.face_down.values()),
    },
}


def _tableau(slow: SlowTable) -> list[list[str]]:
    return [cards for name, cards in slow.state.piles.items() if name[0] == "t"]
