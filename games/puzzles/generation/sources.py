"""Source games of puzzles: lost games whose cards help no one any more (docs/puzzles.md, "Making more")."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from games.analysis.findings import Findings
from games.analysis.models import Analysis
from games.attempts.lifecycle import record_of
from games.deals import publishing
from games.models import Attempt
from games.puzzles.models import SearchedGame
from games.rules import RULES_VERSION

#: Preference of players whose practice games may become puzzles (`accounts.preferences`).
CONSENT: Final = "puzzles_from_practice"


def next_game(variant: str) -> tuple[int, list[str]] | None:
    """Return a lost game that has not been searched for a puzzle, and mark it as searched; None if there is none.

    It is the game's attempt, and its positions after 0, 1, 2… tokens up to the last winnable one.
    """
    for key in _analyses(variant).values_list("pk", flat=True):
        analysis = Analysis.objects.select_related("attempt__deal").get(pk=key)
        if publishing.is_secret(analysis.attempt.deal, timezone.now()):
            continue
        SearchedGame.objects.get_or_create(attempt=analysis.attempt)
        if positions := list(_positions(analysis)):
            return analysis.attempt_id, positions
    return None


def put_back(attempt: int) -> None:
    """Let a game whose search was interrupted be searched again."""
    SearchedGame.objects.filter(attempt=attempt).delete()


def _analyses(variant: str) -> QuerySet[Analysis]:
    """Return the finished analyses of games that may be sources once their deals are revealed."""
    competed = Q(attempt__ranked=True) | Q(attempt__deal__for_race=True, attempt__deadline__isnull=False)
    agreed = Q(**{f"attempt__player__preferences__{CONSENT}": True})
    others = Attempt.objects.filter(deal=OuterRef("attempt__deal"), state=Attempt.State.PLAYING)
    return (
        Analysis.objects.filter(state=Analysis.State.DONE, findings__isnull=False)
        .filter(attempt__deal__variant=variant, attempt__deal__rules_version=RULES_VERSION)
        .exclude(attempt__state=Attempt.State.PLAYING)
        .filter(competed | (agreed & ~Exists(others)))
        .exclude(Exists(SearchedGame.objects.filter(attempt=OuterRef("attempt"))))
        .order_by("pk")
    )


def _positions(analysis: Analysis) -> Iterator[str]:
    """Yield the positions up to the last turning point; none if the game was never winnable, or not lost."""
    assert analysis.findings is not None
    turns = Findings.unpack(bytes(analysis.findings)).turns
    if not turns:
        return
    record = record_of(analysis.attempt)
    table = record.open_table()
    yield table.position()
    for token in record.tokens[: turns[-1].n]:
        table.push(token)
        yield table.position()
