import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Deal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("variant", models.CharField(blank=True, default="", max_length=32)),
                ("game", models.CharField(max_length=16)),
                ("options", models.JSONField(default=dict)),
                ("rules_version", models.PositiveSmallIntegerField()),
                ("day", models.DateField(blank=True, null=True)),
                ("seed", models.BinaryField(max_length=32)),
                ("commitment", models.CharField(max_length=64, unique=True)),
                ("opens_at", models.DateTimeField()),
                ("closes_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("proven", models.BooleanField(default=False)),
                ("grade", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("par", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("solution", models.BinaryField(blank=True, null=True)),
            ],
            options={
                "indexes": [models.Index(fields=["day"], name="deal_day")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("day__isnull", False)),
                        fields=("variant", "day"),
                        name="deal_a_variant_and_day",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("day__isnull", True), ("closes_at__isnull", False), _connector="OR"),
                        name="daily_deal_closes",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Attempt",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("ranked", models.BooleanField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("playing", "Playing"),
                            ("pending", "Pending"),
                            ("verified", "Verified"),
                            ("rejected", "Rejected"),
                            ("review", "Review"),
                        ],
                        default="playing",
                        max_length=8,
                    ),
                ),
                ("started_at", models.DateTimeField()),
                ("deadline", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "end",
                    models.CharField(
                        blank=True,
                        choices=[("won", "Won"), ("resigned", "Resigned"), ("closed", "Closed")],
                        default="",
                        max_length=8,
                    ),
                ),
                ("record", models.BinaryField(blank=True, null=True)),
                ("cards_up", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("elapsed_ms", models.BigIntegerField(blank=True, null=True)),
                ("tokens", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("reasons", models.JSONField(blank=True, default=list)),
                ("verify_tries", models.PositiveSmallIntegerField(default=0)),
                ("verified_at", models.DateTimeField(blank=True, null=True)),
                ("auto_runs", models.JSONField(blank=True, default=list)),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="attempts",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "deal",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="attempts", to="games.deal"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Move",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "attempt_id", "n", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("n", models.IntegerField()),
                ("token", models.CharField(blank=True, max_length=8)),
                ("ms", models.BigIntegerField()),
                (
                    "attempt",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="moves",
                        to="games.attempt",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(fields=["state", "finished_at"], name="attempt_sweep"),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(fields=["state", "deadline"], name="attempt_due"),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(fields=["player", "-started_at"], name="attempt_history"),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ranked", True)), fields=("player", "deal"), name="one_ranked_attempt"
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("end", ""), ("finished_at__isnull", True), ("record__isnull", True), ("state", "playing")
                    ),
                    models.Q(
                        models.Q(("state", "playing"), _negated=True),
                        ("finished_at__isnull", False),
                        ("record__isnull", False),
                        models.Q(("end", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="attempt_ends_with_a_record",
            ),
        ),
    ]
