from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    """Rename the field of the models; the column keeps its name."""

    dependencies = [
        ("races", "0009_regular_racers"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveConstraint(model_name="entrant", name="one_race_at_once"),
                migrations.RenameField(model_name="entrant", old_name="house_racer", new_name="bot"),
                migrations.AlterField(
                    model_name="entrant",
                    name="bot",
                    field=models.CharField(
                        blank=True, db_column="house_racer", db_default="", default="", max_length=16
                    ),
                ),
                migrations.AddConstraint(
                    model_name="entrant",
                    constraint=models.UniqueConstraint(
                        fields=["player"],
                        condition=Q(state__in=["joined", "ready", "racing"], bot=""),
                        name="one_race_at_once",
                    ),
                ),
            ]
        ),
    ]
