from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("games", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="attempt", name="line", field=models.BinaryField(max_length=16, null=True, editable=False)
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(
                condition=models.Q(("line__isnull", False)), fields=["deal", "line"], name="attempt_line"
            ),
        ),
    ]
