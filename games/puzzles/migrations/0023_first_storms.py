from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.db.models import Min


def list_first_storms(apps: StateApps, _editor: BaseDatabaseSchemaEditor) -> None:
    """List each player's first storm of a day, and delete those that never began."""
    runs = apps.get_model("puzzles", "StormRun").objects.filter(for_race=False)
    runs.filter(begun_at=None).delete()
    first = runs.values("player", "day").annotate(first=Min("pk")).order_by().values("first")
    runs.filter(pk__in=first).update(standing="listed")


class Migration(migrations.Migration):
    dependencies = [("puzzles", "0022_listed_storms")]

    operations = [migrations.RunPython(list_first_storms, migrations.RunPython.noop, elidable=True)]
