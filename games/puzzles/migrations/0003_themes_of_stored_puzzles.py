"""Themes of the puzzles that are already stored."""

from __future__ import annotations

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from games.puzzles.puzzle import Puzzle
from games.puzzles.themes import themes_of


def add_themes(apps: StateApps, _editor: BaseDatabaseSchemaEditor | None) -> None:
    """Give every puzzle its themes; those that it has already stay."""
    theme_model = apps.get_model("puzzles", "PuzzleTheme")
    stored = apps.get_model("puzzles", "StoredPuzzle").objects.values_list("pk", "contents")
    rows = (
        theme_model(puzzle_id=pk, theme=theme)
        for pk, contents in stored.iterator()
        for theme in themes_of(Puzzle.from_json(contents))
    )
    theme_model.objects.bulk_create(rows, batch_size=500, ignore_conflicts=True)


class Migration(migrations.Migration):
    dependencies = [("puzzles", "0002_puzzle_themes")]

    operations = [migrations.RunPython(add_themes, migrations.RunPython.noop, elidable=True)]
