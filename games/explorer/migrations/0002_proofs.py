from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("explorer", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="explorer",
            name="proofs",
            field=models.BinaryField(null=True),
        ),
    ]
