from itertools import islice

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.db.models import Min


def carry_over(apps: StateApps, _editor: BaseDatabaseSchemaEditor) -> None:
    """Fill the history from the storms, races and tries so far."""
    seen = apps.get_model("puzzles", "SeenPuzzle")
    runs = apps.get_model("puzzles", "StormRun").objects.order_by("pk")
    tries = apps.get_model("puzzles", "PuzzleTry").objects.order_by("pk")
    stored = set(apps.get_model("puzzles", "StoredPuzzle").objects.values_list("pk", flat=True))
    in_storms = (
        seen(player_id=run.player_id, puzzle_id=key, place="race" if run.for_race else "storm")
        for run in runs.iterator(500)
        for key in run.puzzles[: run.solved + len(run.missed) + 1]
        if key in stored
    )
    on_pages = (
        seen(player_id=player, puzzle_id=key, place="page", seen_at=begun)
        for player, key, begun in tries.values_list("player", "puzzle", "begun_at").iterator(2000)
    )
    for rows in (in_storms, on_pages):
        while batch := list(islice(rows, 2000)):
            seen.objects.bulk_create(batch, ignore_conflicts=True)


def list_first_storms(apps: StateApps, _editor: BaseDatabaseSchemaEditor) -> None:
    """List each player's first storm of a day, and delete those that never began."""
    runs = apps.get_model("puzzles", "StormRun").objects.filter(for_race=False)
    runs.filter(begun_at=None).delete()
    first = runs.values("player", "day").annotate(first=Min("pk")).order_by().values("first")
    runs.filter(pk__in=first).update(standing="listed")


class Migration(migrations.Migration):
    dependencies = [("puzzles", "0011_seen_puzzles")]

    operations = [
        migrations.RunPython(carry_over, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(list_first_storms, migrations.RunPython.noop, elidable=True),
    ]
