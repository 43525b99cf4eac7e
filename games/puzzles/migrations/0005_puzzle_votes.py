from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("puzzles", "0004_puzzle_sources"),
    ]

    operations = [
        migrations.CreateModel(
            name="PuzzleVote",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "vote",
                    models.CharField(choices=[("good", "Good"), ("bad", "Bad"), ("wrong", "Wrong")], max_length=5),
                ),
                ("voted_at", models.DateTimeField(auto_now=True)),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="puzzle_votes",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "puzzle",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="votes", to="puzzles.storedpuzzle"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("player", "puzzle"), name="one_vote_per_puzzle")],
            },
        ),
    ]
