from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("puzzles", "0012_history_so_far"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddConstraint(
            "stormrun",
            models.UniqueConstraint(
                condition=models.Q(("standing", "practice"), _negated=True),
                fields=("player", "day"),
                name="one_storm_per_day",
            ),
        ),
        migrations.AddConstraint(
            "stormrun",
            models.UniqueConstraint(
                condition=models.Q(("begun_at", None), ("for_race", False)),
                fields=("player",),
                name="one_waiting_storm",
            ),
        ),
        migrations.RemoveConstraint("puzzletry", "one_try_per_puzzle"),
        migrations.AddConstraint(
            "puzzletry",
            models.UniqueConstraint(
                condition=models.Q(("day", None)), fields=("player", "puzzle"), name="one_try_per_puzzle"
            ),
        ),
    ]
