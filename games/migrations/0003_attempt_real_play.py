from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("games", "0002_starter_deals")]

    operations = [
        migrations.AddField(
            model_name="attempt",
            name="real_play",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
    ]
