from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0007_attempt_hinted"),
    ]

    operations = [
        migrations.AlterField(
            model_name="attempt",
            name="end",
            field=models.CharField(
                blank=True,
                choices=[("won", "Won"), ("resigned", "Gave up"), ("closed", "Closed")],
                default="",
                max_length=8,
            ),
        ),
    ]
