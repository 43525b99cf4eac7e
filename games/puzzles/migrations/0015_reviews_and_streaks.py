import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.db.models import Q


def mark_races(apps: StateApps, _editor: BaseDatabaseSchemaEditor) -> None:
    """Set the kind of the runs in races."""
    apps.get_model("puzzles", "StormRun").objects.filter(for_race=True).update(kind="race")


class Migration(migrations.Migration):
    """Add reviews and streaks. The table and the column `for_race` stay, so running processes notice nothing."""

    dependencies = [
        ("puzzles", "0014_first_moves"),
        ("races", "0008_puzzle_races"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="MissedPuzzle",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("turn", models.PositiveSmallIntegerField()),
                ("token", models.CharField(max_length=20)),
                ("passed", models.PositiveSmallIntegerField(default=0)),
                ("due_on", models.DateField()),
                (
                    "player",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="missed_puzzles",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "puzzle",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="puzzles.storedpuzzle"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("player", "puzzle"), name="missed_once")],
            },
        ),
        migrations.AlterField(
            "seenpuzzle",
            "place",
            models.CharField(
                choices=[("page", "Page"), ("storm", "Storm"), ("race", "Race"), ("streak", "Streak")], max_length=6
            ),
        ),
        migrations.AlterModelOptions("puzzletry", {}),
        migrations.AddField("puzzletry", "review_on", models.DateField(null=True)),
        migrations.RemoveConstraint("puzzletry", "one_try_per_puzzle"),
        migrations.AddConstraint(
            "puzzletry",
            models.UniqueConstraint(
                condition=Q(("day", None), ("review_on", None)), fields=("player", "puzzle"), name="one_try_per_puzzle"
            ),
        ),
        migrations.AddConstraint(
            "puzzletry",
            models.UniqueConstraint(
                condition=Q(("review_on", None), _negated=True),
                fields=("player", "puzzle", "review_on"),
                name="one_try_per_review",
            ),
        ),
        migrations.AddField("stormrun", "skips", models.PositiveSmallIntegerField(db_default=0, default=0)),
        migrations.AddField(
            "stormrun",
            "kind",
            models.CharField(
                choices=[("storm", "Storm"), ("race", "Race"), ("streak", "Streak")],
                db_default="storm",
                default="storm",
                max_length=6,
            ),
        ),
        migrations.RunPython(mark_races, migrations.RunPython.noop, elidable=True),
        migrations.RemoveConstraint("stormrun", "one_waiting_storm"),
        migrations.RemoveConstraint("stormrun", "one_storm_per_day"),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveField("stormrun", "for_race"),
                migrations.RenameModel("StormRun", "PuzzleRun"),
                migrations.AlterModelTable("puzzlerun", "puzzles_stormrun"),
                migrations.AlterField(
                    "puzzlerun",
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="puzzle_runs",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ]
        ),
    ]
