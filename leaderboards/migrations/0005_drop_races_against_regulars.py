from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboards", "0004_reword_labels"),
    ]

    operations = [
        migrations.RemoveField(model_name="rating", name="regulars"),
        migrations.RemoveField(model_name="ratingchange", name="regulars"),
    ]
