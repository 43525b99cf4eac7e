import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [("replays", "0001_initial")]

    initial = True

    dependencies = [
        ("games", "0001_squashed"),
    ]

    operations = [
        migrations.CreateModel(
            name="Continuation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("n", models.PositiveSmallIntegerField()),
                (
                    "attempt",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="continuation", to="games.attempt"
                    ),
                ),
                (
                    "origin",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="continued",
                        to="games.attempt",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Picture",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("asked_at", models.DateTimeField()),
                ("image", models.BinaryField(null=True)),
                (
                    "attempt",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="picture", to="games.attempt"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["asked_at"], name="picture_age")],
            },
        ),
    ]
