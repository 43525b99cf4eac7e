"""Each ladder of a deal with a board of its own: the newcomers' results leave the established boards and the seasons."""

from django.db import migrations, models
from django.utils import timezone

NEWCOMERS = 2
BOARDS = 2
# As the keys of this step are counted: (board, column, shifts).
LEVELS = ((0, "race_key", (45, 35, 28, 20)), (1, "fewest_key", (45, 38, 32, 16)))


def divide(apps, schema_editor):
    """Give results the ladders of their attempts, count the newcomers apart, and have the seasons recounted."""
    results = apps.get_model("leaderboards", "Result")._meta.db_table
    buckets = apps.get_model("leaderboards", "DealBucket")._meta.db_table
    recounts = apps.get_model("leaderboards", "Recount")._meta.db_table
    attempts = apps.get_model("games", "Attempt")._meta.db_table
    deals = apps.get_model("games", "Deal")._meta.db_table
    connection = schema_editor.connection
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {results} SET ladder = {NEWCOMERS} FROM {attempts} a "  # noqa: S608 - names of our own
            f"WHERE a.id = {results}.attempt_id AND a.ladder = {NEWCOMERS}"
        )
        for board, column, shifts in LEVELS:
            for level, shift in enumerate(shifts):
                for code, step in ((board, -1), (board + BOARDS, 1)):
                    cursor.execute(
                        f"INSERT INTO {buckets} (deal_id, board, level, prefix, entries) "  # noqa: S608
                        f"SELECT deal_id, {code}, {level}, {column} >> {shift}, {step} * count(*) FROM {results} "
                        f"WHERE listed AND ladder = {NEWCOMERS} GROUP BY deal_id, {column} >> {shift} "
                        f"ON CONFLICT (deal_id, board, level, prefix) "
                        f"DO UPDATE SET entries = {buckets}.entries + EXCLUDED.entries"
                    )
        cursor.execute(
            f"INSERT INTO {recounts} (player_id, day, marked_at) "  # noqa: S608
            f"SELECT DISTINCT r.player_id, d.day, CAST(%s AS {'timestamptz' if is_postgresql(connection) else 'text'}) "
            f"FROM {results} r JOIN {deals} d ON d.id = r.deal_id "
            f"WHERE r.listed AND r.ladder = {NEWCOMERS} AND d.day IS NOT NULL "
            "ON CONFLICT (player_id, day) DO UPDATE SET marked_at = EXCLUDED.marked_at, failed_at = NULL",
            [connection.ops.adapt_datetimefield_value(timezone.now())],
        )


def is_postgresql(connection):
    return connection.vendor == "postgresql"


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboards", "0004_attempt_ladders"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="result", name="result_race"),
        migrations.RemoveIndex(model_name="result", name="result_fewest"),
        migrations.AddField(
            model_name="result",
            name="ladder",
            field=models.PositiveSmallIntegerField(
                choices=[(1, "established"), (2, "newcomers")], db_default=1, default=1, verbose_name="ladder"
            ),
        ),
        migrations.RunPython(divide, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name="result",
            index=models.Index(
                condition=models.Q(("listed", True)),
                fields=["deal", "ladder", "race_key", "finished_at", "id"],
                name="result_race",
            ),
        ),
        migrations.AddIndex(
            model_name="result",
            index=models.Index(
                condition=models.Q(("listed", True)),
                fields=["deal", "ladder", "fewest_key", "finished_at", "id"],
                name="result_fewest",
            ),
        ),
    ]
