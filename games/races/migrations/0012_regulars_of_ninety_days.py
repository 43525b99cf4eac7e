from django.db import migrations, models


class Migration(migrations.Migration):
    """Reword the label of regulars. Standings of earlier races stay as stored."""

    dependencies = [
        ("races", "0011_presence"),
    ]

    operations = [
        migrations.AlterField(
            model_name="entrant",
            name="standing",
            field=models.PositiveSmallIntegerField(
                blank=True,
                choices=[
                    (0, "No account, or no verified daily game"),
                    (1, "A verified daily game"),
                    (2, "A verified daily game as an established player"),
                    (3, "Established, and daily games on ten of the last ninety days"),
                ],
                null=True,
            ),
        ),
    ]
