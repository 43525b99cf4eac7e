from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboards", "0003_races_against_regulars"),
    ]

    operations = [
        migrations.AlterField(
            model_name="season",
            name="period",
            field=models.CharField(
                choices=[("nine", "all nine"), ("week", "week"), ("month", "month"), ("all", "all time")], max_length=5
            ),
        ),
    ]
