from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0004_result_progress")]

    operations = [
        *(
            migrations.AddField("standing", name, models.PositiveIntegerField(db_default=0, default=0))
            for name in ("wins", "won_cards_up", "won_tokens")
        ),
        migrations.AddField("standing", "won_ms", models.BigIntegerField(db_default=0, default=0)),
        migrations.RemoveIndex("standing", "standing_fewest"),
        migrations.AddIndex(
            "standing",
            models.Index(
                fields=("season", "fewest_key", "won_ms", "finished_at", "id"),
                condition=Q(listed=True),
                name="standing_fewest",
            ),
        ),
    ]
