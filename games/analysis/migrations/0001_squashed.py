import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [("analysis", "0001_initial")]

    initial = True

    dependencies = [
        ("accounts", "0001_squashed"),
        ("games", "0001_squashed"),
    ]

    operations = [
        migrations.CreateModel(
            name="Analysis",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("asked_at", models.DateTimeField()),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "Waiting"), ("working", "Working"), ("done", "Done")],
                        default="waiting",
                        max_length=7,
                    ),
                ),
                ("claim", models.UUIDField(null=True)),
                ("seen_at", models.DateTimeField(null=True)),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("percent", models.PositiveSmallIntegerField(default=0)),
                ("findings", models.BinaryField(null=True)),
                ("done_at", models.DateTimeField(null=True)),
                (
                    "asked_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "attempt",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="analysis", to="games.attempt"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "analyses",
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "done"), _negated=True), fields=["asked_at"], name="analysis_open"
                    ),
                    models.Index(fields=["done_at"], name="analysis_age"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("done_at__isnull", False), ("state", "done")),
                            models.Q(models.Q(("state", "done"), _negated=True), ("done_at", None)),
                            _connector="OR",
                        ),
                        name="analysis_done_at_a_time",
                    )
                ],
            },
        ),
    ]
