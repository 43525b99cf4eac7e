from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("games", "0009_decisions_digest")]

    operations = [
        migrations.AddField("attempt", "progress_ms", models.BigIntegerField(blank=True, null=True)),
    ]
