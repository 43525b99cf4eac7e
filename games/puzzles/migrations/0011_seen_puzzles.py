import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("puzzles", "0010_loaded_file"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(model_name="storedpuzzle", index=models.Index(fields=["mu"], name="puzzle_mu")),
        migrations.CreateModel(
            name="SeenPuzzle",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "place",
                    models.CharField(choices=[("page", "Page"), ("storm", "Storm"), ("race", "Race")], max_length=5),
                ),
                ("seen_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "player",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="seen_puzzles",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "puzzle",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="seen", to="puzzles.storedpuzzle"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("player", "puzzle"), name="seen_once")],
            },
        ),
        migrations.AddField("stormrun", "moves", models.JSONField(default=list, db_default=[])),
        migrations.AddField(
            "stormrun",
            "standing",
            models.CharField(
                choices=[("listed", "Listed"), ("practice", "Practice"), ("too fast", "Too Fast")],
                default="practice",
                db_default="practice",
                max_length=8,
            ),
        ),
        migrations.AlterField("stormrun", "puzzles", models.JSONField(default=list)),
        migrations.AddField("puzzlevote", "counts", models.BooleanField(default=False, db_default=False)),
        migrations.AddField(
            "puzzlevote",
            "proof",
            models.CharField(
                blank=True,
                choices=[("holds", "Holds"), ("broken", "Broken"), ("undecided", "Undecided")],
                default="",
                db_default="",
                max_length=9,
            ),
        ),
        migrations.AddField(
            "storedpuzzle",
            "withdrawn",
            models.CharField(
                blank=True,
                choices=[("unpopular", "Unpopular"), ("disproved", "Disproved")],
                default="",
                db_default="",
                max_length=9,
            ),
        ),
    ]
