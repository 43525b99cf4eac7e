from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0005_standing_wins")]

    operations = [
        migrations.AddField("ratedrace", "is_stale", models.BooleanField(db_default=False, default=False)),
    ]
