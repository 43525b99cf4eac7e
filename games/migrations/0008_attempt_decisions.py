from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models.functions import Substr


def forget_digests(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """What was kept before tells nothing any more: earlier wins are not compared, unless they are judged again."""
    attempts = apps.get_model("games", "Attempt").objects.using(schema_editor.connection.alias)
    attempts.filter(line__isnull=False).update(line=None)


class Migration(migrations.Migration):
    # The update and the change of the indexes do not fit into one transaction on PostgreSQL.
    atomic = False

    dependencies = [("games", "0007_race_deals")]

    operations = [
        migrations.RemoveIndex(model_name="attempt", name="attempt_line"),
        migrations.AlterField(model_name="attempt", name="line", field=models.BinaryField(null=True, editable=False)),
        migrations.RunPython(forget_digests, forget_digests),
        *(
            migrations.AddIndex(
                model_name="attempt",
                index=models.Index(
                    "deal", Substr("line", at, 4), condition=models.Q(line__isnull=False), name=f"attempt_line_{at}"
                ),
            )
            for at in (1, 5, 9, 13)
        ),
    ]
