from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0009_starts"),
    ]

    operations = [
        migrations.AddField(
            model_name="attempt",
            name="ladder",
            field=models.PositiveSmallIntegerField(
                blank=True, choices=[(1, "established"), (2, "newcomers")], null=True
            ),
        ),
    ]
