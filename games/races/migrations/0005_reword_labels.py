from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("races", "0004_entrant_facts"),
    ]

    operations = [
        migrations.AlterField(
            model_name="entrant",
            name="state",
            field=models.CharField(
                choices=[
                    ("joined", "Joined"),
                    ("ready", "Ready"),
                    ("racing", "Racing"),
                    ("won", "Won"),
                    ("retired", "Gave up"),
                    ("timed_out", "Out of time"),
                    ("absent", "Didn't show up"),
                    ("disqualified", "Disqualified"),
                ],
                default="joined",
                max_length=12,
            ),
        ),
        migrations.AlterField(
            model_name="race",
            name="state",
            field=models.CharField(
                choices=[
                    ("open", "Open"),
                    ("countdown", "Starting"),
                    ("racing", "Live"),
                    ("settling", "Being verified"),
                    ("finished", "Finished"),
                    ("void", "Void"),
                ],
                default="open",
                max_length=9,
            ),
        ),
        migrations.AlterField(
            model_name="race",
            name="void",
            field=models.CharField(
                blank=True,
                choices=[
                    ("not_started", "It never started"),
                    ("nobody_came", "No one showed up"),
                    ("server_fault", "Stopped by a server error"),
                ],
                default="",
                max_length=12,
            ),
        ),
    ]
