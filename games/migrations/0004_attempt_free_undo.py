from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("games", "0003_attempt_real_play")]

    operations = [
        migrations.AddField(
            model_name="attempt", name="free_undo", field=models.BooleanField(db_default=True, default=True)
        ),
    ]
