from typing import Any

from django.db import migrations, models
from django.db.models import Q


def seat_waiting_players(apps: Any, _schema_editor: object) -> None:
    apps.get_model("races", "Entrant").objects.filter(state__in=["joined", "ready"]).update(state="seated")


class Migration(migrations.Migration):
    """Replace the states `joined` and `ready` with `seated`.

    Processes of the previous release may write the old states for some seconds more. They still occupy their player
    (the constraint lists them), freezing the seats does not depend on the state, and the reconciler converts them.
    Seats without `here_until` are older than this release, so their players count as present.
    """

    dependencies = [("races", "0010_bots")]

    operations = [
        migrations.RemoveConstraint(model_name="entrant", name="one_race_at_once"),
        migrations.AddConstraint(
            model_name="entrant",
            constraint=models.UniqueConstraint(
                fields=["player"],
                condition=Q(state__in=["joined", "ready", "seated", "racing"], bot=""),
                name="one_race_at_once",
            ),
        ),
        migrations.AddField(
            model_name="entrant", name="answered_at", field=models.DateTimeField(blank=True, null=True)
        ),
        migrations.AlterField(
            model_name="entrant",
            name="state",
            field=models.CharField(
                choices=[
                    ("seated", "Seated"),
                    ("racing", "Racing"),
                    ("won", "Won"),
                    ("retired", "Gave up"),
                    ("timed_out", "Out of time"),
                    ("absent", "Didn't show up"),
                    ("disqualified", "Disqualified"),
                ],
                default="seated",
                max_length=12,
            ),
        ),
        migrations.RunPython(seat_waiting_players, migrations.RunPython.noop, elidable=True),
    ]
