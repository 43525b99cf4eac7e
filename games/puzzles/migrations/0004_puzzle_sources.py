from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0008_reword_labels"),
        ("puzzles", "0003_themes_of_stored_puzzles"),
    ]

    operations = [
        migrations.AddField(
            model_name="storedpuzzle",
            name="source",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="games.attempt"
            ),
        ),
        migrations.AddField(
            model_name="storedpuzzle", name="source_n", field=models.PositiveSmallIntegerField(null=True)
        ),
        migrations.CreateModel(
            name="SearchedGame",
            fields=[
                (
                    "attempt",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="games.attempt",
                    ),
                ),
            ],
        ),
    ]
