"""One choice of a card face in place of the switches for four colours and for large figures."""

from __future__ import annotations

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

SWITCHES = ("four_colours", "large_cards")


def choose_face(apps: StateApps, _editor: BaseDatabaseSchemaEditor | None) -> None:
    """Give every account that has switches the face that they showed."""
    users = apps.get_model("accounts", "User").objects
    switched = users.filter(preferences__has_any_keys=SWITCHES).select_for_update()
    for pk, preferences in switched.values_list("pk", "preferences").iterator():
        four_colours, large = (preferences.pop(name, False) for name in SWITCHES)
        if four_colours or large:
            preferences["card_face"] = "large" if large else "colours"
        users.filter(pk=pk).update(preferences=preferences)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_name_keys_as_written")]

    operations = [migrations.RunPython(choose_face, migrations.RunPython.noop, elidable=True)]
