from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("puzzles", "0015_reviews_and_streaks")]

    operations = [
        migrations.AddConstraint(
            "puzzlerun",
            models.UniqueConstraint(
                condition=Q(Q(("standing", "practice"), _negated=True), ("kind", "storm")),
                fields=("player", "day"),
                name="one_storm_per_day",
            ),
        ),
        migrations.AddConstraint(
            "puzzlerun",
            models.UniqueConstraint(condition=Q(("begun_at", None)), fields=("player", "kind"), name="one_waiting_run"),
        ),
    ]
