from datetime import timedelta

from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.db.models import Count, OuterRef, Subquery


def mark_regulars(apps: StateApps, _editor: BaseDatabaseSchemaEditor | None) -> None:
    """Mark the established entrants who were regulars when their race started."""
    established = apps.get_model("races", "Entrant").objects.filter(standing=2)
    if not settings.LADDERS:
        established.update(standing=3)
        return
    dailies = apps.get_model("games", "Attempt").objects.filter(
        player=OuterRef("player"),
        ranked=True,
        real_play=True,
        state="verified",
        verified_at__lt=OuterRef("race__starts_at"),
        started_at__gte=OuterRef("race__starts_at") - timedelta(days=30),
    )
    days = dailies.order_by().values("player").annotate(days=Count("deal__day", distinct=True)).values("days")
    established.annotate(days=Subquery(days)).filter(days__gte=10).update(standing=3)


class Migration(migrations.Migration):
    dependencies = [
        ("races", "0008_puzzle_races"),
        ("games", "0006_mark_real_play"),
    ]

    operations = [
        migrations.AlterField(
            model_name="entrant",
            name="standing",
            field=models.PositiveSmallIntegerField(
                blank=True,
                choices=[
                    (0, "No account, or no verified daily game"),
                    (1, "A verified daily game"),
                    (2, "A verified daily game as an established player"),
                    (3, "Established, and daily games on ten of the last thirty days"),
                ],
                null=True,
            ),
        ),
        migrations.RunPython(mark_regulars, migrations.RunPython.noop, elidable=True),
    ]
