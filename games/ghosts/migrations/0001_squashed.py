import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import games.ghosts.models


class Migration(migrations.Migration):
    replaces = [
        ("ghosts", "0001_initial"),
        ("ghosts", "0002_indexes"),
        ("ghosts", "0003_notices_of_answers"),
        ("ghosts", "0004_notices_of_invitations"),
    ]

    initial = True

    dependencies = [
        ("accounts", "0001_squashed"),
        ("games", "0001_squashed"),
    ]

    operations = [
        migrations.CreateModel(
            name="Challenge",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "code",
                    models.CharField(default=games.ghosts.models.new_code, editable=False, max_length=12, unique=True),
                ),
                ("made_at", models.DateTimeField()),
                (
                    "addressee",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "attempt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="challenges", to="games.attempt"
                    ),
                ),
                (
                    "sender",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Answer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("told_at", models.DateTimeField(blank=True, null=True)),
                (
                    "attempt",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="answer", to="games.attempt"
                    ),
                ),
                (
                    "challenge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="answers", to="ghosts.challenge"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(condition=models.Q(("told_at", None)), fields=["id"], name="answer_untold")],
            },
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("challenged", "Somebody has challenged you"),
                            ("answered", "Somebody has answered your challenge"),
                            ("rating_moved", "Your rating has changed after a decision"),
                            ("appealed", "Your appeal has been answered"),
                            ("reported", "Your report has been answered"),
                            ("joined", "Somebody has accepted your invitation"),
                        ],
                        max_length=12,
                    ),
                ),
                ("data", models.JSONField(blank=True, default=dict)),
                ("made_at", models.DateTimeField()),
                ("seen_at", models.DateTimeField(blank=True, null=True)),
                (
                    "player",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["player", "-id"], name="notice_inbox"),
                    models.Index(condition=models.Q(("seen_at", None)), fields=["player"], name="notice_unread"),
                    models.Index(fields=["made_at"], name="notice_age"),
                ],
            },
        ),
    ]
