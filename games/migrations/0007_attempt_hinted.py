from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("games", "0006_mark_real_play")]

    operations = [
        migrations.AddField(
            model_name="attempt",
            name="hinted",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
    ]
