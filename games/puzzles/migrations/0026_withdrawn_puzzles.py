from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("puzzles", "0025_tries_of_the_day")]

    operations = [
        migrations.AddField("puzzlevote", "counts", models.BooleanField(default=False, db_default=False)),
        migrations.AddField(
            "puzzlevote",
            "proof",
            models.CharField(
                blank=True,
                choices=[("holds", "Holds"), ("broken", "Broken"), ("undecided", "Undecided")],
                default="",
                db_default="",
                max_length=9,
            ),
        ),
        migrations.AddField(
            "storedpuzzle",
            "withdrawn",
            models.CharField(
                blank=True,
                choices=[("unpopular", "Unpopular"), ("disproved", "Disproved")],
                default="",
                db_default="",
                max_length=9,
            ),
        ),
    ]
