from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("puzzles", "0021_history_so_far")]

    operations = [
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
    ]
