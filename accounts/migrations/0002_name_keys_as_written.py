"""Keys of names as they are folded now: what a capital looks like counts before its case."""

from __future__ import annotations

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from accounts.names.validation import name_key

BATCH = 500
LONGEST = 128


def fold_again(apps: StateApps, _editor: BaseDatabaseSchemaEditor) -> None:
    """Give every account its new key.

    Where several accounts now have one key the oldest gets it. The others keep their names under keys that no name
    has: they sign in with their names as written, and nobody else can take them.
    """
    users = apps.get_model("accounts", "User").objects
    named = users.filter(name_key__isnull=False).order_by("pk")
    changed, taken = {}, set()
    for pk, name, old in named.values_list("pk", "display_name", "name_key").iterator():
        key = name_key(name)[:LONGEST] or f"~{pk}"
        if key in taken:
            suffix = f"~{pk}"  # in no key is a sign
            key = key[: LONGEST - len(suffix)] + suffix
        taken.add(key)
        if key != old:
            changed[pk] = key
    keys = list(changed)
    for start in range(0, len(keys), BATCH):  # a new key may be another account's old one
        users.filter(pk__in=keys[start : start + BATCH]).update(name_key=None)
    for pk, key in changed.items():
        users.filter(pk=pk).update(name_key=key)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_squashed")]

    operations = [migrations.RunPython(fold_again, migrations.RunPython.noop, elidable=True)]
