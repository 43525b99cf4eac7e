"""The nine: boards of a day's games together, on each ladder. Those of earlier days are added up soon after."""

from django.db import migrations, models
from django.utils import timezone


def mark(apps, schema_editor):
    """Have every day recounted for everybody who has a listed result of it."""
    results = apps.get_model("leaderboards", "Result")._meta.db_table
    recounts = apps.get_model("leaderboards", "Recount")._meta.db_table
    deals = apps.get_model("games", "Deal")._meta.db_table
    connection = schema_editor.connection
    kind = "timestamptz" if connection.vendor == "postgresql" else "text"
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {recounts} (player_id, day, marked_at) "  # noqa: S608 - names of our own
            f"SELECT DISTINCT r.player_id, d.day, CAST(%s AS {kind}) "
            f"FROM {results} r JOIN {deals} d ON d.id = r.deal_id WHERE r.listed AND d.day IS NOT NULL "
            "ON CONFLICT (player_id, day) DO UPDATE SET marked_at = EXCLUDED.marked_at, failed_at = NULL",
            [connection.ops.adapt_datetimefield_value(timezone.now())],
        )


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboards", "0005_result_ladders"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="season", name="season_once"),
        migrations.AddField(
            model_name="season",
            name="ladder",
            field=models.PositiveSmallIntegerField(
                choices=[(1, "established"), (2, "newcomers")], db_default=1, default=1, verbose_name="ladder"
            ),
        ),
        migrations.AddField(
            model_name="standing",
            name="points",
            field=models.PositiveSmallIntegerField(null=True, verbose_name="points"),
        ),
        migrations.AlterField(
            model_name="season",
            name="period",
            field=models.CharField(
                choices=[("nine", "the nine"), ("week", "week"), ("month", "month"), ("all", "all time")], max_length=5
            ),
        ),
        migrations.AddConstraint(
            model_name="season",
            constraint=models.UniqueConstraint(fields=("period", "starts_on", "variant", "ladder"), name="season_once"),
        ),
        migrations.RunPython(mark, migrations.RunPython.noop),
    ]
