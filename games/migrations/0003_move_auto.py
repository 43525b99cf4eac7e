from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0002_attempt_line"),
    ]

    operations = [
        migrations.AddField(
            model_name="move",
            name="auto",
            field=models.BooleanField(default=False),
        ),
        migrations.AddIndex(
            model_name="move",
            index=models.Index(condition=models.Q(("token", "")), fields=["attempt"], name="move_folded"),
        ),
    ]
