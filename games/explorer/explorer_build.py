"""Build of a deal's explorer, in a process of its own (`games.core.search_process`).

Replays and searches keep a core busy for up to minutes, so they run there at the lowest priority, not in a worker.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from games.explorer.counts import crossings, pack
from games.explorer.deal_summary import DealSummary, summary_of
from games.explorer.loss_search import LossSearch
from games.explorer.trails import PlayedGame, trail_of
from games.explorer.verdict_graph import VerdictGraph

NICENESS: Final = 19


class BuildTask(msgspec.Struct):
    """The games played at a deal: its rules version and opening position, a known winning line if there is one, the
    games, and the time limit of the search in seconds. `proofs` has the verdicts that an earlier build has proved.
    """

    version: int
    position: str
    line: PlayedGame | None
    games: list[PlayedGame]
    seconds: float
    proofs: dict[int, int] = {}


class BuiltExplorer(msgspec.Struct):
    """The packed positions (`games.explorer.counts.pack`), the summary, and the proofs for the next build."""

    chunks: list[bytes]
    summary: DealSummary
    proofs: dict[int, int]


def build(task: BuildTask) -> BuiltExplorer:
    """Count what was played, and find out where it was lost."""
    trails = [trail_of(task.position, game, version=task.version) for game in task.games]
    known = [] if task.line is None else [trail_of(task.position, task.line, version=task.version)]
    graph = VerdictGraph([*trails, *known])
    played = {digest for trail in trails for digest in trail.digests}
    proofs = {digest: verdict for digest, verdict in task.proofs.items() if digest in played}
    graph.recall(proofs)
    if any(not trail.game.won for trail in trails) and task.seconds:
        search = LossSearch(task.position, graph, seconds=task.seconds, version=task.version)
        search.run(trails)
        proofs |= search.proofs
    return BuiltExplorer(pack(crossings(trails, graph)), summary_of(trails, graph), proofs)


def search(task: BuildTask) -> Iterator[BuiltExplorer]:
    """Yield the built explorer."""
    yield build(task)
