import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("leaderboards", "0001_initial"),
        ("leaderboards", "0002_season_keys_and_rerankings"),
        ("leaderboards", "0003_ratings"),
        ("leaderboards", "0004_attempt_ladders"),
        ("leaderboards", "0005_result_ladders"),
        ("leaderboards", "0006_the_nine"),
    ]

    initial = True

    dependencies = [
        ("accounts", "0001_squashed"),
        ("games", "0001_squashed"),
        ("races", "0001_squashed"),
    ]

    operations = [
        migrations.CreateModel(
            name="DealBoard",
            fields=[
                (
                    "deal",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="board",
                        serialize=False,
                        to="games.deal",
                    ),
                ),
                ("version", models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="Season",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "period",
                    models.CharField(
                        choices=[("nine", "the nine"), ("week", "week"), ("month", "month"), ("all", "all time")],
                        max_length=5,
                    ),
                ),
                ("starts_on", models.DateField(help_text="first day; for all time a fixed date")),
                ("variant", models.CharField(blank=True, max_length=32)),
                (
                    "ladder",
                    models.PositiveSmallIntegerField(
                        choices=[(1, "established"), (2, "newcomers")], db_default=1, default=1, verbose_name="ladder"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("period", "starts_on", "variant", "ladder"), name="season_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="DealBucket",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("board", models.PositiveSmallIntegerField()),
                ("level", models.PositiveSmallIntegerField()),
                ("prefix", models.BigIntegerField()),
                ("entries", models.IntegerField()),
                (
                    "deal",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="games.deal"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("deal", "board", "level", "prefix"), name="deal_bucket_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Recount",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("marked_at", models.DateTimeField(auto_now_add=True)),
                (
                    "player",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("failed_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("player", "day"), name="recount_once")],
            },
        ),
        migrations.CreateModel(
            name="Result",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("cards_up", models.PositiveIntegerField(verbose_name="cards up")),
                ("elapsed_ms", models.BigIntegerField(verbose_name="elapsed time in ms")),
                ("tokens", models.PositiveIntegerField(verbose_name="tokens")),
                ("finished_at", models.DateTimeField(verbose_name="finished at")),
                ("race_key", models.BigIntegerField(editable=False)),
                ("fewest_key", models.BigIntegerField(editable=False)),
                ("listed", models.BooleanField(default=False, verbose_name="listed")),
                (
                    "attempt",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="result", to="games.attempt"
                    ),
                ),
                (
                    "deal",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="results",
                        to="games.deal",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="results",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "ladder",
                    models.PositiveSmallIntegerField(
                        choices=[(1, "established"), (2, "newcomers")], db_default=1, default=1, verbose_name="ladder"
                    ),
                ),
            ],
            options={
                "verbose_name": "result",
                "verbose_name_plural": "results",
                "indexes": [
                    models.Index(
                        condition=models.Q(("listed", True)),
                        fields=["deal", "ladder", "race_key", "finished_at", "id"],
                        name="result_race",
                    ),
                    models.Index(
                        condition=models.Q(("listed", True)),
                        fields=["deal", "ladder", "fewest_key", "finished_at", "id"],
                        name="result_fewest",
                    ),
                ],
                "constraints": [models.UniqueConstraint(fields=("player", "deal"), name="result_once")],
            },
        ),
        migrations.CreateModel(
            name="SeasonBucket",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("board", models.PositiveSmallIntegerField()),
                ("level", models.PositiveSmallIntegerField()),
                ("prefix", models.BigIntegerField()),
                ("entries", models.IntegerField()),
                (
                    "season",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="leaderboards.season",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("season", "board", "level", "prefix"), name="season_bucket_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Standing",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("cards_up", models.PositiveIntegerField(verbose_name="cards up")),
                ("elapsed_ms", models.BigIntegerField(verbose_name="elapsed time in ms")),
                ("tokens", models.PositiveIntegerField(verbose_name="tokens")),
                ("finished_at", models.DateTimeField(verbose_name="finished at")),
                ("race_key", models.BigIntegerField(editable=False)),
                ("fewest_key", models.BigIntegerField(editable=False)),
                ("listed", models.BooleanField(default=False, verbose_name="listed")),
                ("deals", models.PositiveIntegerField(verbose_name="deals")),
                (
                    "player",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="standings",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "season",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="standings",
                        to="leaderboards.season",
                    ),
                ),
                ("points", models.PositiveSmallIntegerField(null=True, verbose_name="points")),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("listed", True)),
                        fields=["season", "fewest_key", "elapsed_ms", "finished_at", "id"],
                        name="standing_fewest",
                    ),
                    models.Index(
                        condition=models.Q(("listed", True)),
                        fields=["season", "race_key", "elapsed_ms", "tokens", "finished_at", "id"],
                        name="standing_race",
                    ),
                ],
                "constraints": [models.UniqueConstraint(fields=("player", "season"), name="standing_once")],
            },
        ),
        migrations.CreateModel(
            name="Reranking",
            fields=[
                (
                    "player",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("due_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="RatedRace",
            fields=[
                (
                    "race",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="rating",
                        serialize=False,
                        to="races.race",
                    ),
                ),
                ("guests", models.JSONField(blank=True, default=list)),
            ],
        ),
        migrations.CreateModel(
            name="Rating",
            fields=[
                (
                    "player",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="rating",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("mu", models.FloatField()),
                ("sigma", models.FloatField()),
                ("races", models.PositiveIntegerField()),
                ("last_raced_at", models.DateTimeField()),
            ],
            options={
                "verbose_name": "rating",
                "verbose_name_plural": "ratings",
                "indexes": [models.Index(fields=["-mu", "player"], name="rating_board")],
            },
        ),
        migrations.CreateModel(
            name="RatingChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("finished_at", models.DateTimeField()),
                ("rank", models.PositiveSmallIntegerField()),
                ("mu_before", models.FloatField()),
                ("sigma_before", models.FloatField()),
                ("mu_after", models.FloatField()),
                ("sigma_after", models.FloatField()),
                ("races", models.PositiveIntegerField()),
                (
                    "entrant",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="rating_change", to="races.entrant"
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rating_changes",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "race",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rating_changes",
                        to="races.race",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["player", "finished_at", "race"], name="rating_history"),
                    models.Index(fields=["finished_at", "race"], name="rating_order"),
                ],
            },
        ),
    ]
