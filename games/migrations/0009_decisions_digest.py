"""Rename `Attempt.line` to `decisions_digest`. The column keeps its name, so running processes notice nothing."""

from __future__ import annotations

from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Substr

STARTS = (1, 5, 9, 13)


def index(field: str, at: int) -> models.Index:
    condition = Q(**{f"{field}__isnull": False})
    return models.Index("deal", Substr(field, at, 4), condition=condition, name=f"attempt_line_{at}")


class Migration(migrations.Migration):
    dependencies = [("games", "0008_reword_labels")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                *(migrations.RemoveIndex("attempt", f"attempt_line_{at}") for at in STARTS),
                migrations.RenameField("attempt", "line", "decisions_digest"),
                migrations.AlterField(
                    "attempt", "decisions_digest", models.BinaryField(null=True, editable=False, db_column="line")
                ),
                *(migrations.AddIndex("attempt", index("decisions_digest", at)) for at in STARTS),
            ]
        )
    ]
