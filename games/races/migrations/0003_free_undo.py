from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("races", "0002_entrant_here_until")]

    operations = [
        migrations.AddField(
            model_name=model, name="free_undo", field=models.BooleanField(db_default=True, default=True)
        )
        for model in ("room", "race")
    ]
