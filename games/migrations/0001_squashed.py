"""All tables of the games. On PostgreSQL the journal is partitioned by ranges of attempt ids (games.attempts.journal_partitions)."""

import uuid

import django.db.models.deletion
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models

ATTEMPTS_A_DAY = 1_000_000_000


def partition(_apps, schema_editor):
    """Make the journal a partitioned table on PostgreSQL; the table that was there becomes its first partition."""
    connection = schema_editor.connection
    if connection.vendor != "postgresql":
        return
    # The journal's index must exist by now: Django creates indexes when the migration ends.
    while schema_editor.deferred_sql:
        schema_editor.execute(schema_editor.deferred_sql.pop(0), None)
    [[last]] = run(connection, "SELECT last_value FROM games_attempt_id_seq")
    high = (last // ATTEMPTS_A_DAY + 1) * ATTEMPTS_A_DAY
    run(
        connection,
        "ALTER TABLE games_move RENAME TO games_move_rest",
        "ALTER INDEX games_move_pkey RENAME TO games_move_rest_pkey",
        "ALTER INDEX move_folded RENAME TO games_move_rest_folded",
        "CREATE TABLE games_move (LIKE games_move_rest INCLUDING DEFAULTS) PARTITION BY RANGE (attempt_id)",
        "ALTER TABLE games_move ADD PRIMARY KEY (attempt_id, n)",
        "CREATE INDEX move_folded ON games_move (attempt_id) WHERE token = ''",
        f"ALTER TABLE games_move ATTACH PARTITION games_move_rest FOR VALUES FROM (MINVALUE) TO ({high})",
        "CREATE TABLE games_move_default PARTITION OF games_move DEFAULT",
    )


def join(_apps, schema_editor):
    """Make one table of the partitions again."""
    if schema_editor.connection.vendor != "postgresql":
        return
    run(
        schema_editor.connection,
        "CREATE TABLE games_move_whole (LIKE games_move INCLUDING DEFAULTS)",
        "INSERT INTO games_move_whole SELECT * FROM games_move",
        "DROP TABLE games_move",
        "ALTER TABLE games_move_whole RENAME TO games_move",
        "ALTER TABLE games_move ADD PRIMARY KEY (attempt_id, n)",
        "CREATE INDEX move_folded ON games_move (attempt_id) WHERE token = ''",
    )


def run(connection, *statements):
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


class Migration(migrations.Migration):
    replaces = [
        ("games", "0001_initial"),
        ("games", "0002_attempt_line"),
        ("games", "0003_move_auto"),
        ("games", "0004_certified_deals"),
        ("games", "0005_presence"),
        ("games", "0006_attempt_gathered"),
        ("games", "0007_race_deals"),
        ("games", "0008_attempt_decisions"),
        ("games", "0009_starts"),
        ("games", "0010_attempt_ladder"),
        ("games", "0011_decisions_and_notes"),
        ("games", "0012_foresight_figures"),
        ("games", "0013_practice_orders"),
        ("games", "0014_pauses"),
        ("games", "0015_journal_by_day"),
    ]

    initial = True

    dependencies = [
        ("accounts", "0001_squashed"),
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
                ("for_race", models.BooleanField(db_default=False, default=False)),
                ("revealed_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["day"], name="deal_day"),
                    models.Index(
                        condition=models.Q(("day", None), ("for_race", False), ("proven", True)),
                        fields=["game", "variant", "grade"],
                        name="deal_practised",
                    ),
                ],
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
                ("line", models.BinaryField(null=True)),
                ("gathered", models.BooleanField(db_default=False, editable=False)),
                (
                    "ladder",
                    models.PositiveSmallIntegerField(
                        blank=True, choices=[(1, "established"), (2, "newcomers")], null=True
                    ),
                ),
                ("paused_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("paused_ms", models.BigIntegerField(db_default=0, default=0, editable=False)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["state", "finished_at"], name="attempt_sweep"),
                    models.Index(fields=["state", "deadline"], name="attempt_due"),
                    models.Index(fields=["player", "-started_at"], name="attempt_history"),
                    models.Index(
                        models.F("deal"),
                        django.db.models.functions.text.Substr("line", 1, 4),
                        condition=models.Q(("line__isnull", False)),
                        name="attempt_line_1",
                    ),
                    models.Index(
                        models.F("deal"),
                        django.db.models.functions.text.Substr("line", 5, 4),
                        condition=models.Q(("line__isnull", False)),
                        name="attempt_line_5",
                    ),
                    models.Index(
                        models.F("deal"),
                        django.db.models.functions.text.Substr("line", 9, 4),
                        condition=models.Q(("line__isnull", False)),
                        name="attempt_line_9",
                    ),
                    models.Index(
                        models.F("deal"),
                        django.db.models.functions.text.Substr("line", 13, 4),
                        condition=models.Q(("line__isnull", False)),
                        name="attempt_line_13",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ranked", True)), fields=("player", "deal"), name="one_ranked_attempt"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("end", ""),
                                ("finished_at__isnull", True),
                                ("record__isnull", True),
                                ("state", "playing"),
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
                    models.CheckConstraint(
                        condition=models.Q(
                            ("paused_at__isnull", True),
                            models.Q(("deadline__isnull", True), ("ranked", False), ("state", "playing")),
                            _connector="OR",
                        ),
                        name="only_practice_is_paused",
                    ),
                ],
                "permissions": [("decide_attempt", "Can decide attempts at the staff's desk")],
            },
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
                ("auto", models.BooleanField(default=False)),
            ],
            options={
                "indexes": [models.Index(condition=models.Q(("token", "")), fields=["attempt"], name="move_folded")],
            },
        ),
        migrations.CreateModel(
            name="AwaitedDeal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("variant", models.CharField(max_length=32)),
                ("day", models.DateField()),
                ("since", models.DateTimeField()),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("variant", "day"), name="awaited_once")],
            },
        ),
        migrations.CreateModel(
            name="LedgerEntry",
            fields=[
                ("index", models.PositiveIntegerField(primary_key=True, serialize=False)),
                ("variant", models.CharField(max_length=32)),
                ("day", models.DateField()),
                ("rules_version", models.PositiveSmallIntegerField()),
                ("proven", models.BooleanField()),
                ("commitment", models.CharField(max_length=64)),
                ("opens_at", models.DateTimeField()),
                ("published_at", models.DateTimeField()),
                ("previous", models.CharField(max_length=64, unique=True)),
                ("hash", models.CharField(max_length=64, unique=True)),
                (
                    "deal",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="ledger_entry", to="games.deal"
                    ),
                ),
            ],
            options={
                "ordering": ["index"],
            },
        ),
        migrations.CreateModel(
            name="Question",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("n", models.PositiveSmallIntegerField()),
                ("asked_at", models.DateTimeField()),
                (
                    "answer",
                    models.CharField(
                        blank=True,
                        choices=[("yes", "Yes"), ("no", "No"), ("unknown", "Unknown")],
                        default="",
                        max_length=7,
                    ),
                ),
                ("way", models.JSONField(blank=True, default=list)),
                (
                    "attempt",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="question", to="games.attempt"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SealedDeal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("variant", models.CharField(max_length=32)),
                ("rules_version", models.PositiveSmallIntegerField()),
                ("seed", models.BinaryField(max_length=32, unique=True)),
                ("solution", models.BinaryField()),
                ("par", models.PositiveSmallIntegerField()),
                ("grade", models.PositiveSmallIntegerField()),
                ("random_wins", models.FloatField()),
                ("greedy_wins", models.FloatField()),
                ("nodes", models.BigIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "indexes": [models.Index(fields=["variant", "grade", "id"], name="sealed_stock")],
            },
        ),
        migrations.CreateModel(
            name="Presence",
            fields=[
                ("process", models.CharField(max_length=32, primary_key=True, serialize=False)),
                ("seen_at", models.DateTimeField()),
                ("day", models.DateField()),
                ("players", models.PositiveIntegerField()),
                ("tables", models.JSONField()),
            ],
            options={
                "verbose_name_plural": "presence",
            },
        ),
        migrations.CreateModel(
            name="Start",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("device", models.UUIDField()),
                ("network", models.BinaryField(max_length=16)),
                ("made_at", models.DateTimeField()),
                (
                    "attempt",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="start",
                        to="games.attempt",
                    ),
                ),
                (
                    "deal",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="games.deal",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["device", "deal"], name="start_device"),
                    models.Index(fields=["made_at"], name="start_age"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Decision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
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
                        max_length=8,
                    ),
                ),
                (
                    "before",
                    models.CharField(
                        choices=[
                            ("playing", "Playing"),
                            ("pending", "Pending"),
                            ("verified", "Verified"),
                            ("rejected", "Rejected"),
                            ("review", "Review"),
                        ],
                        max_length=8,
                    ),
                ),
                ("reasons_before", models.JSONField(default=list)),
                ("result_id", models.BigIntegerField(null=True)),
                ("why", models.TextField()),
                ("made_at", models.DateTimeField()),
                ("batch", models.UUIDField(db_index=True, null=True)),
                (
                    "attempt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="decisions", to="games.attempt"
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "undoes",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="undone_by",
                        to="games.decision",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="StaffNote",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text", models.TextField()),
                ("made_at", models.DateTimeField()),
                (
                    "attempt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="staff_notes", to="games.attempt"
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="SeenDeal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("seen_at", models.DateTimeField()),
                (
                    "deal",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="games.deal"
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("player", "deal"), name="deal_seen_once")],
            },
        ),
        migrations.CreateModel(
            name="ForesightFigures",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("form", models.PositiveSmallIntegerField()),
                ("figures", models.JSONField()),
                ("made_at", models.DateTimeField()),
                (
                    "attempt",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="games.attempt"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "foresight figures",
                "indexes": [models.Index(fields=["made_at"], name="foresight_age")],
            },
        ),
        migrations.CreateModel(
            name="PracticeOrder",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("variant", models.CharField(blank=True, max_length=32)),
                ("game", models.CharField(max_length=16)),
                ("options", models.JSONField(default=dict)),
                ("grade", models.PositiveSmallIntegerField(null=True)),
                ("tried", models.PositiveSmallIntegerField(default=0)),
                ("ended", models.BooleanField(default=False)),
                ("made_at", models.DateTimeField()),
                (
                    "deal",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="games.deal"
                    ),
                ),
                (
                    "player",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["made_at"], name="practice_order_age")],
            },
        ),
        migrations.RunPython(partition, join),
    ]
