"""Season keys that hold a lifetime of play, and marks for what must follow a player's row."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

CARDS_TOP = 2**27 - 1
# As the keys of this step are counted: (board, column, shifts).
LEVELS = ((0, "race_key", (48, 42, 36, 19, 10, 2)), (1, "fewest_key", (48, 42, 36, 16, 8, 0)))


def repack(apps, schema_editor):
    """Pack the keys of all standings anew, and count them anew."""
    standings = apps.get_model("leaderboards", "Standing")._meta.db_table
    buckets = apps.get_model("leaderboards", "SeasonBucket")._meta.db_table
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {standings} SET "  # noqa: S608 - names of our own
            f"race_key = (CAST({CARDS_TOP} - cards_up AS bigint) << 36) | (elapsed_ms >> 10), "
            f"fewest_key = (CAST({CARDS_TOP} - cards_up AS bigint) << 36) | tokens"
        )
        cursor.execute(f"DELETE FROM {buckets}")  # noqa: S608
        for board, column, shifts in LEVELS:
            for level, shift in enumerate(shifts):
                cursor.execute(
                    f"INSERT INTO {buckets} (season_id, board, level, prefix, entries) "  # noqa: S608
                    f"SELECT season_id, {board}, {level}, {column} >> {shift}, count(*) "
                    f"FROM {standings} WHERE listed GROUP BY season_id, {column} >> {shift}"
                )


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboards", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Reranking",
            fields=[
                (
                    "player",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("due_at", models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name="recount",
            name="failed_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.RemoveIndex(model_name="standing", name="standing_race"),
        migrations.AddIndex(
            model_name="standing",
            index=models.Index(
                condition=models.Q(("listed", True)),
                fields=["season", "race_key", "elapsed_ms", "tokens", "finished_at", "id"],
                name="standing_race",
            ),
        ),
        migrations.RunPython(repack, migrations.RunPython.noop),
    ]
