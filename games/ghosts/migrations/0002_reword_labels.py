from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ghosts", "0001_squashed"),
    ]

    operations = [
        migrations.AlterField(
            model_name="notice",
            name="kind",
            field=models.CharField(
                choices=[
                    ("challenged", "Someone challenged you"),
                    ("answered", "Someone answered your challenge"),
                    ("rating_moved", "Your rating has changed after a decision"),
                    ("appealed", "We answered your appeal"),
                    ("reported", "We answered your report"),
                    ("joined", "Someone accepted your invitation"),
                ],
                max_length=12,
            ),
        ),
    ]
