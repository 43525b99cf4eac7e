import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from games.puzzles.puzzle import Puzzle
from games.puzzles.ratings.initial_ratings import PUZZLE_SIGMA, initial_rating


def rate_puzzles(apps: StateApps, _editor: BaseDatabaseSchemaEditor | None) -> None:
    """Give every puzzle its initial rating."""
    puzzles = apps.get_model("puzzles", "StoredPuzzle").objects
    for pk, contents in puzzles.values_list("pk", "contents").iterator():
        puzzles.filter(pk=pk).update(mu=initial_rating(Puzzle.from_json(contents)), sigma=PUZZLE_SIGMA)


class Migration(migrations.Migration):
    dependencies = [
        ("puzzles", "0005_puzzle_votes"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="PuzzleRating",
            fields=[
                (
                    "player",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="puzzle_rating",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("mu", models.FloatField(default=1500.0)),
                ("sigma", models.FloatField(default=350.0)),
            ],
        ),
        migrations.AddField("puzzletry", "mu_before", models.FloatField(null=True)),
        migrations.AddField("puzzletry", "mu_after", models.FloatField(null=True)),
        migrations.AddField("puzzletry", "rated_at", models.DateTimeField(null=True)),
        migrations.AddField("storedpuzzle", "mu", models.FloatField(db_default=1500.0, default=1500.0)),
        migrations.AddField("storedpuzzle", "sigma", models.FloatField(db_default=350.0, default=350.0)),
        migrations.RunPython(rate_puzzles, migrations.RunPython.noop, elidable=True),
    ]
