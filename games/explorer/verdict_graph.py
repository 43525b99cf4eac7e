"""Graph of the positions that the games of a deal came through, with the known verdict on each. Pure: no database.

Verdicts propagate: a position with a move to a winnable one is winnable too, and every position after a lost one is
lost. An undo is no move.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from enum import IntEnum

from games.analysis.positions import LOST
from games.explorer.trails import Trail
from games.rules.tokens import UNDO, WORDS


class Verdict(IntEnum):
    """Verdict on a position: lost, winnable, or not known."""

    LOST = -1
    UNKNOWN = 0
    WINNABLE = 1


class VerdictGraph:
    """Positions by digest. The games that were won prove their own positions winnable."""

    def __init__(self, trails: Collection[Trail]) -> None:
        self._known: dict[int, Verdict] = {}
        # Lists, because most positions have one neighbour on either side: sets take three times the memory.
        self._before: defaultdict[int, list[int]] = defaultdict(list)
        self._after: defaultdict[int, list[int]] = defaultdict(list)
        for trail in trails:
            self._connect(trail)
        for trail in trails:
            if trail.game.won:
                self.won([trail.digests[n] for n in trail.standing])
            self._adopt(trail)

    def __getitem__(self, digest: int) -> Verdict:
        return self._known.get(digest, Verdict.UNKNOWN)

    def recall(self, proofs: Mapping[int, int]) -> None:
        """Record the verdicts that an earlier search has proved."""
        self.won(digest for digest, verdict in proofs.items() if verdict == Verdict.WINNABLE)
        for digest, verdict in proofs.items():
            if verdict == Verdict.LOST:
                self.lost(digest)

    def won(self, digests: Iterable[int]) -> None:
        """Record that positions are winnable, and with them all positions before them."""
        waiting = list(digests)
        while waiting:
            digest = waiting.pop()
            if self[digest] != Verdict.WINNABLE:
                self._known[digest] = Verdict.WINNABLE
                waiting.extend(self._before.get(digest, ()))

    def lost(self, digest: int) -> None:
        """Record that a position is lost, and with it all positions after it."""
        waiting = [digest]
        while waiting:
            digest = waiting.pop()
            if self[digest] == Verdict.UNKNOWN:
                self._known[digest] = Verdict.LOST
                waiting.extend(self._after.get(digest, ()))

    def losing_step(self, trail: Trail) -> int | None:
        """Return the number of the move that lost a game, counting the moves that stood; None if it is not known."""
        for number, n in enumerate(trail.standing):
            if self[trail.digests[n]] == Verdict.LOST:
                before = trail.digests[trail.standing[number - 1]]
                return number if number and self[before] == Verdict.WINNABLE else None
        return None

    def _connect(self, trail: Trail) -> None:
        for n, token in enumerate(trail.game.tokens):
            before, after = trail.digests[n], trail.digests[n + 1]
            if token != WORDS[UNDO] and after not in self._after[before]:
                self._after[before].append(after)
                self._before[after].append(before)

    def _adopt(self, trail: Trail) -> None:
        """Record the findings of a game's analysis."""
        for digest, moves in zip(trail.digests, trail.game.verdicts, strict=False):
            if moves >= 0:
                self.won([digest])
            elif moves == LOST:
                self.lost(digest)
