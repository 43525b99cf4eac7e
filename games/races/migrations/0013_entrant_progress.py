from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("races", "0012_regulars_of_ninety_days")]

    operations = [
        migrations.AddField("entrant", "progress_ms", models.BigIntegerField(blank=True, null=True)),
    ]
