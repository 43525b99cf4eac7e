import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import games.races.models


class Migration(migrations.Migration):
    replaces = [("races", "0001_initial"), ("races", "0002_entrant_as_guest")]

    initial = True

    dependencies = [
        ("accounts", "0001_squashed"),
        ("games", "0001_squashed"),
    ]

    operations = [
        migrations.CreateModel(
            name="Room",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "code",
                    models.CharField(default=games.races.models.new_code, editable=False, max_length=10, unique=True),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("private", "By link"),
                            ("public", "Public"),
                            ("quick", "Quick match"),
                            ("heat", "Heat"),
                        ],
                        max_length=7,
                    ),
                ),
                ("variant", models.CharField(blank=True, default="", max_length=32)),
                ("game", models.CharField(max_length=16)),
                ("options", models.JSONField(blank=True, default=dict)),
                ("limit_s", models.PositiveIntegerField()),
                ("seats", models.PositiveSmallIntegerField()),
                ("kicked", models.JSONField(blank=True, default=list)),
                ("made_at", models.DateTimeField()),
                ("used_at", models.DateTimeField()),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "host",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(condition=models.Q(("closed_at", None)), fields=["kind", "used_at"], name="room_open")
                ],
            },
        ),
        migrations.CreateModel(
            name="Race",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("number", models.PositiveSmallIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("countdown", "About to start"),
                            ("racing", "Being run"),
                            ("settling", "Being verified"),
                            ("finished", "Finished"),
                            ("void", "Void"),
                        ],
                        default="open",
                        max_length=9,
                    ),
                ),
                ("rated", models.BooleanField(default=False)),
                ("variant", models.CharField(blank=True, default="", max_length=32)),
                ("game", models.CharField(max_length=16)),
                ("options", models.JSONField(blank=True, default=dict)),
                ("limit_s", models.PositiveIntegerField()),
                ("deal_tries", models.PositiveIntegerField(default=0)),
                ("deal_failed", models.BooleanField(default=False)),
                ("opened_at", models.DateTimeField()),
                ("scheduled_at", models.DateTimeField(blank=True, null=True)),
                ("division", models.PositiveSmallIntegerField(default=0)),
                ("gathers_until", models.DateTimeField(blank=True, null=True)),
                ("starts_at", models.DateTimeField(blank=True, null=True)),
                ("ends_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "void",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("not_started", "It was never started"),
                            ("nobody_came", "Nobody was there at the start"),
                            ("server_fault", "A fault of the server spoiled it"),
                        ],
                        default="",
                        max_length=12,
                    ),
                ),
                (
                    "deal",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="races",
                        to="games.deal",
                    ),
                ),
                (
                    "room",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="races",
                        to="races.room",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["state", "starts_at"], name="race_due"),
                    models.Index(
                        condition=models.Q(("state", "finished")), fields=["finished_at", "id"], name="race_order"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("room", "number"), name="race_number_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["open", "countdown"])),
                        fields=("room",),
                        name="one_race_to_come",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "racing")), fields=("room",), name="one_race_being_run"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("scheduled_at__isnull", False)),
                        fields=("scheduled_at", "division"),
                        name="heat_division_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["open", "void"]),
                            models.Q(("deal__isnull", False), ("ends_at__isnull", False), ("starts_at__isnull", False)),
                            _connector="OR",
                        ),
                        name="race_that_starts_has_a_deal",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("finished_at__isnull", False), ("state__in", ["finished", "void"])),
                            models.Q(
                                models.Q(("state__in", ["finished", "void"]), _negated=True), ("finished_at", None)
                            ),
                            _connector="OR",
                        ),
                        name="race_ends_once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Entrant",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("joined", "Joined"),
                            ("ready", "Ready"),
                            ("racing", "Racing"),
                            ("won", "Won"),
                            ("retired", "Retired"),
                            ("timed_out", "Out of time"),
                            ("absent", "Absent"),
                            ("disqualified", "Disqualified"),
                        ],
                        default="joined",
                        max_length=12,
                    ),
                ),
                ("joined_at", models.DateTimeField()),
                ("wishes", models.JSONField(blank=True, default=list)),
                ("place", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("points", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("cards_up", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("elapsed_ms", models.BigIntegerField(blank=True, null=True)),
                ("tokens", models.PositiveSmallIntegerField(blank=True, null=True)),
                (
                    "attempt",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="entrant",
                        to="games.attempt",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="entries",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "race",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entrants",
                        to="races.race",
                    ),
                ),
                ("as_guest", models.BooleanField(db_default=False, default=False)),
            ],
            options={
                "indexes": [models.Index(fields=["player", "-id"], name="entrant_history")],
                "constraints": [
                    models.UniqueConstraint(fields=("race", "player"), name="entrant_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["joined", "ready", "racing"])),
                        fields=("player",),
                        name="one_race_at_once",
                    ),
                ],
            },
        ),
    ]
