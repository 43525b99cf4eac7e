"""Store of puzzles: those shipped with the code, and those added later."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import islice
from typing import Final

from django.db import connection, transaction
from django.db.models import Q

from games.puzzles import shipped_file
from games.puzzles.generation.likeness import PuzzleIndex
from games.puzzles.models import LoadedFile, PuzzleTheme, StoredPuzzle
from games.puzzles.puzzle import Puzzle
from games.puzzles.ratings.initial_ratings import PUZZLE_SIGMA
from games.puzzles.shipped_file import PuzzleRow

#: Shipped puzzles that a new site has at once: the first ones of the file.
FIRST: Final = 264
#: Puzzles stored in one transaction, so that others can write in between.
_BATCH: Final = 1000


@transaction.atomic
def add(rows: Iterable[PuzzleRow], *, source: int | None = None, source_n: int | None = None) -> None:
    """Store puzzles with their themes, and skip those already stored.

    `source` is the attempt they were found in, if any; the start is its position after `source_n` tokens.
    """
    new = {sha256(row.contents["start"].encode()).hexdigest(): row for row in rows}
    stored = (
        StoredPuzzle(
            variant=row.contents["variant"],
            contents=row.contents,
            turns=row.turns,
            moves=row.moves,
            digest=digest,
            source_id=source,
            source_n=source_n,
            mu=row.mu,
            sigma=PUZZLE_SIGMA,
        )
        for digest, row in new.items()
    )
    StoredPuzzle.objects.bulk_create(stored, batch_size=500, ignore_conflicts=True)
    keys = StoredPuzzle.objects.filter(digest__in=new).values_list("pk", "digest")
    if themes := [(pk, theme) for pk, digest in keys for theme in new[digest].themes]:
        _add_themes(themes)


def _add_themes(themes: Sequence[tuple[int, str]]) -> None:
    """Store themes without the ORM, which takes 2 of 3.7 s of CPU time for 10,000 puzzles (29 November 2026)."""
    table, values = PuzzleTheme._meta.db_table, ", ".join(["(%s, %s)"] * len(themes))
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} (puzzle_id, theme) VALUES {values} ON CONFLICT DO NOTHING",  # noqa: S608 - constants
            [value for pair in themes for value in pair],
        )


def has_near(puzzle: Puzzle) -> bool:
    """Return whether a stored puzzle has the same last right move in nearly the same position."""
    token, index = puzzle.line[-1], PuzzleIndex()
    same_move = Q(contents__line=token) | Q(contents__line__endswith=f" {token}")
    for contents in StoredPuzzle.objects.filter(same_move, variant=puzzle.variant).values_list("contents", flat=True):
        index.add(Puzzle.from_json(contents))
    return not index.add(puzzle)


def ensure_any() -> None:
    """Store the first shipped puzzles if there are none; `load_shipped` stores the others in the background."""
    if not StoredPuzzle.objects.exists():
        add(shipped_file.first_rows(FIRST))


def load_shipped() -> None:
    """Store the puzzles of the shipped file, unless this has been done; those already stored keep all they have."""
    checksum = shipped_file.header()["sha256"]
    if not LoadedFile.objects.filter(checksum=checksum).exists():
        left = shipped_file.rows()
        while rows := list(islice(left, _BATCH)):
            add(rows)
        LoadedFile.objects.get_or_create(checksum=checksum)
