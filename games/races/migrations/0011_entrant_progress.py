from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("races", "0010_bots")]

    operations = [
        migrations.AddField("entrant", "progress_ms", models.BigIntegerField(blank=True, null=True)),
    ]
