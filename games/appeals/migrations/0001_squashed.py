import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [("appeals", "0001_initial")]

    initial = True

    dependencies = [
        ("accounts", "0001_squashed"),
        ("games", "0001_squashed"),
    ]

    operations = [
        migrations.CreateModel(
            name="Appeal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text", models.TextField(max_length=1000)),
                ("made_at", models.DateTimeField()),
                (
                    "decision",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("verified", "Granted: the game is verified"),
                            ("rejected", "Dismissed: the game is rejected"),
                        ],
                        default="",
                        max_length=8,
                    ),
                ),
                ("answer", models.TextField(blank=True, default="", max_length=1000)),
                ("answered_at", models.DateTimeField(blank=True, null=True)),
                (
                    "answered_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "attempt",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="appeal", to="games.attempt"
                    ),
                ),
            ],
            options={
                "verbose_name": "appeal",
                "verbose_name_plural": "appeals",
                "indexes": [
                    models.Index(condition=models.Q(("answered_at", None)), fields=["made_at"], name="appeal_open"),
                    models.Index(fields=["answered_at"], name="appeal_age"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("answered_at", None), ("decision", "")),
                            models.Q(("answered_at__isnull", False), models.Q(("decision", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="appeal_answered_with_a_decision",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Report",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("speed", "Played faster than a person can"),
                            ("foresight", "Seems to know hidden cards"),
                            ("copy", "Copied from another player"),
                            ("accounts", "One person with several accounts"),
                            ("name", "An offensive name"),
                            ("other", "Something else"),
                        ],
                        max_length=9,
                    ),
                ),
                ("text", models.TextField(blank=True, default="", max_length=500)),
                ("made_at", models.DateTimeField()),
                ("answered_at", models.DateTimeField(blank=True, null=True)),
                ("action_taken", models.BooleanField(blank=True, null=True)),
                (
                    "answered_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "attempt",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reports",
                        to="games.attempt",
                    ),
                ),
                (
                    "reporter",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="reports", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "verbose_name": "report",
                "verbose_name_plural": "reports",
                "indexes": [
                    models.Index(condition=models.Q(("answered_at", None)), fields=["made_at"], name="report_open"),
                    models.Index(fields=["answered_at"], name="report_age"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("attempt", "reporter"), name="report_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("action_taken", None), ("answered_at", None)),
                            models.Q(("action_taken__isnull", False), ("answered_at__isnull", False)),
                            _connector="OR",
                        ),
                        name="report_answered_with_an_outcome",
                    ),
                ],
            },
        ),
    ]
