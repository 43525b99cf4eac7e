from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("puzzles", "0013_one_storm_a_day")]

    operations = [
        migrations.AddField("puzzletry", "first_move", models.CharField(db_default="", default="", max_length=16)),
    ]
