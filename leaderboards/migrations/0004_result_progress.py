from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0003_provisional_ratings")]

    operations = [
        migrations.AddField(
            "result", "progress_ms", models.BigIntegerField(null=True, verbose_name="progress time in ms")
        ),
        migrations.AlterField("result", "fewest_key", models.BigIntegerField(editable=False, null=True)),
        migrations.AlterField("standing", "fewest_key", models.BigIntegerField(editable=False, null=True)),
    ]
