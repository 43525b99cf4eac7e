from django.conf import settings
from django.db import migrations, models
from django.db.models import CASCADE, PROTECT


def player() -> models.ForeignKey:
    return models.ForeignKey(settings.AUTH_USER_MODEL, PROTECT, related_name="+", db_index=False, db_constraint=False)


def race() -> models.ForeignKey:
    return models.ForeignKey("races.Race", CASCADE, related_name="+", db_index=False, db_constraint=False)


def entrant() -> models.OneToOneField:
    return models.OneToOneField("races.Entrant", CASCADE, related_name="%(class)s")


def rated_player() -> models.OneToOneField:
    return models.OneToOneField(
        settings.AUTH_USER_MODEL, PROTECT, primary_key=True, related_name="%(class)s", serialize=False
    )


class Migration(migrations.Migration):
    """Add tables for provisional ratings. Old processes still write `limited`, so its columns stay for now."""

    dependencies = [
        ("leaderboards", "0002_limited_points"),
        ("races", "0012_regulars_of_ninety_days"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ProvisionalRating",
            fields=[
                ("player", rated_player()),
                ("mu", models.FloatField()),
                ("sigma", models.FloatField()),
                ("races", models.PositiveIntegerField()),
                ("last_raced_at", models.DateTimeField()),
            ],
            options={
                "abstract": False,
                "indexes": [models.Index(fields=["-mu", "player"], name="provisionalrating_board")],
            },
        ),
        migrations.CreateModel(
            name="ProvisionalChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("entrant", entrant()),
                ("race", race()),
                ("player", player()),
                ("finished_at", models.DateTimeField()),
                ("rank", models.PositiveSmallIntegerField()),
                ("mu_before", models.FloatField()),
                ("sigma_before", models.FloatField()),
                ("mu_after", models.FloatField()),
                ("sigma_after", models.FloatField()),
                ("races", models.PositiveIntegerField()),
            ],
            options={
                "abstract": False,
                "indexes": [
                    models.Index(fields=["player", "finished_at", "race"], name="provisionalchange_history"),
                    models.Index(fields=["finished_at", "race"], name="provisionalchange_order"),
                ],
            },
        ),
        migrations.RenameIndex("ratingchange", new_name="ratingchange_history", old_name="rating_history"),
        migrations.RenameIndex("ratingchange", new_name="ratingchange_order", old_name="rating_order"),
        migrations.AddField("ratedrace", "version", models.PositiveSmallIntegerField(default=0, db_default=0)),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveField("rating", "limited"),
                migrations.RemoveField("ratingchange", "limited"),
                migrations.AlterField("rating", "player", rated_player()),
                migrations.AlterField("ratingchange", "entrant", entrant()),
                migrations.AlterField("ratingchange", "race", race()),
                migrations.AlterField("ratingchange", "player", player()),
            ]
        ),
    ]
