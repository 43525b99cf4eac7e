"""Set `Attempt.real_play` for the last month's verified games, which count towards the established ladder."""

from datetime import timedelta

from django.db import migrations
from django.utils import timezone

from games.rules import Record, replay

BATCH = 500


def mark_real_play(apps, _schema_editor):
    attempts = apps.get_model("games", "Attempt").objects.filter(
        ranked=True, state="verified", deal__day__isnull=False, finished_at__gte=timezone.now() - timedelta(days=32)
    )
    real = []
    for pk, end, record in attempts.values_list("pk", "end", "record").iterator(BATCH):
        if end == "won" or _really_played(bytes(record)):
            real.append(pk)
    for first in range(0, len(real), BATCH):
        attempts.model.objects.filter(pk__in=real[first : first + BATCH]).update(real_play=True)


def _really_played(record: bytes) -> bool:
    try:
        played = replay(Record.from_bytes(record))
    except ValueError:
        return False
    return 3 * played.cards_up >= played.goal or sum("-" in token for token in played.table.moves) >= 40


class Migration(migrations.Migration):
    # Replaying takes a while, and must not hold the lock of a change of the table.
    atomic = False
    dependencies = [("games", "0005_start_network")]
    operations = [migrations.RunPython(mark_real_play, migrations.RunPython.noop, elidable=True)]
