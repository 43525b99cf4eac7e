from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("races", "0013_entrant_progress")]

    operations = [
        migrations.AddField("entrant", "plan", models.JSONField(blank=True, editable=False, null=True)),
    ]
