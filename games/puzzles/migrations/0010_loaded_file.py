from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("puzzles", "0009_last_moves")]

    operations = [
        migrations.CreateModel(
            name="LoadedFile",
            fields=[
                ("checksum", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("loaded_at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
    ]
