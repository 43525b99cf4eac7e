"""The ladders of attempts that have a verdict, by the rule as it is set now.

An attempt keeps the ladder that this gives it, as it keeps one given by a verdict. A migration of its own, because this is
the long part and locks no table.
"""

from django.conf import settings
from django.db import migrations

ESTABLISHED, NEWCOMERS = 1, 2

# What each player had played before each day; a verified game counts by its day alone, as it is not kept when it first
# was verified. A deleted account was made at a time that is no longer known.
BY_RULE = """
WITH played AS (
    SELECT a.player_id, d.day, SUM(CASE WHEN a.state = 'verified' THEN 1 ELSE 0 END) AS games
    FROM {attempts} a JOIN {deals} d ON d.id = a.deal_id
    WHERE a.ranked AND d.day IS NOT NULL AND a.state IN ('verified', 'rejected', 'review')
    GROUP BY a.player_id, d.day
), earlier AS (
    SELECT player_id, day, COALESCE(SUM(games) OVER past, 0) AS games,
        COALESCE(SUM(CASE WHEN games > 0 THEN 1 ELSE 0 END) OVER past, 0) AS days
    FROM played
    WINDOW past AS (PARTITION BY player_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
)
UPDATE {attempts} SET ladder = CASE
    WHEN e.games >= %s AND e.days >= %s AND NOT p.is_guest AND (p.deleted_at IS NOT NULL OR p.date_joined < d.opens_at)
    THEN {established} ELSE {newcomers} END
FROM earlier e, {deals} d, {players} p
WHERE d.id = {attempts}.deal_id AND p.id = {attempts}.player_id
    AND e.player_id = {attempts}.player_id AND e.day = d.day AND {judged}
"""
ALL = """
UPDATE {attempts} SET ladder = {established} FROM {deals} d
WHERE d.id = {attempts}.deal_id AND d.day IS NOT NULL AND {judged}
"""
JUDGED = "{attempts}.ranked AND {attempts}.ladder IS NULL AND {attempts}.state IN ('verified', 'rejected', 'review')"


def decide(apps, schema_editor):
    names = {
        "attempts": apps.get_model("games", "Attempt")._meta.db_table,
        "deals": apps.get_model("games", "Deal")._meta.db_table,
        "players": apps.get_model("accounts", "User")._meta.db_table,
        "established": ESTABLISHED,
        "newcomers": NEWCOMERS,
    }
    judged = JUDGED.format(**names)
    rule = [settings.ESTABLISHED_GAMES, settings.ESTABLISHED_DAYS] if settings.LADDERS else []
    with schema_editor.connection.cursor() as cursor:
        cursor.execute((BY_RULE if rule else ALL).format(judged=judged, **names), rule)


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboards", "0003_ratings"),
        ("games", "0010_attempt_ladder"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(decide, migrations.RunPython.noop),
    ]
