from django.db import migrations, models


class Migration(migrations.Migration):
    # Steps between the releases.
    replaces = [
        ("leaderboards", "0002_newcomer_points"),
        ("leaderboards", "0003_races_against_regulars"),
        ("leaderboards", "0004_reword_labels"),
        ("leaderboards", "0005_drop_races_against_regulars"),
        ("leaderboards", "0006_limited_points"),
    ]

    dependencies = [
        ("leaderboards", "0001_squashed"),
    ]

    operations = [
        migrations.AddField(
            model_name="rating",
            name="limited",
            field=models.FloatField(db_default=0.0, default=0.0),
        ),
        migrations.AddField(
            model_name="ratingchange",
            name="limited",
            field=models.FloatField(db_default=0.0, default=0.0),
        ),
        migrations.AlterField(
            model_name="season",
            name="period",
            field=models.CharField(
                choices=[("nine", "all nine"), ("week", "week"), ("month", "month"), ("all", "all time")], max_length=5
            ),
        ),
    ]
