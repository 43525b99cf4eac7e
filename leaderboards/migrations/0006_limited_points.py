from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboards", "0005_drop_races_against_regulars"),
    ]

    operations = [
        migrations.RenameField(model_name="rating", old_name="newcomers", new_name="limited"),
        migrations.RenameField(model_name="ratingchange", old_name="newcomers", new_name="limited"),
    ]
