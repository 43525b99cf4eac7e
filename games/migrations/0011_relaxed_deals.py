from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("games", "0010_attempt_progress")]

    operations = [
        migrations.AddField("deal", "relaxed_day", models.DateField(blank=True, null=True)),
        migrations.AddConstraint(
            "deal",
            models.UniqueConstraint(
                fields=["relaxed_day", "variant"], condition=Q(relaxed_day__isnull=False), name="relaxed_deal_of_day"
            ),
        ),
    ]
