from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("races", "0001_squashed")]

    operations = [
        migrations.AddField(
            model_name="entrant",
            name="here_until",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
