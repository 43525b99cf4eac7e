from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("puzzles", "0024_one_storm_a_day"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint("puzzletry", "one_try_per_puzzle"),
        migrations.AddConstraint(
            "puzzletry",
            models.UniqueConstraint(
                condition=models.Q(("day", None)), fields=("player", "puzzle"), name="one_try_per_puzzle"
            ),
        ),
    ]
