"""Keys of names without the Arabic tatweel, which only makes a letter wider."""

from __future__ import annotations

from importlib import import_module

from django.db import migrations

fold_again = import_module("accounts.migrations.0002_name_keys_as_written").fold_again


class Migration(migrations.Migration):
    dependencies = [("accounts", "0004_race_reminder")]

    operations = [migrations.RunPython(fold_again, migrations.RunPython.noop, elidable=True)]
