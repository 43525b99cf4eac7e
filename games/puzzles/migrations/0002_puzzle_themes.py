from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("puzzles", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="PuzzleTheme",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("theme", models.CharField(max_length=20)),
                (
                    "puzzle",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="themes", to="puzzles.storedpuzzle"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("theme", "puzzle"), name="one_theme_per_puzzle")],
            },
        ),
    ]
