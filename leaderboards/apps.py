"""The leaderboards application."""

from __future__ import annotations

from django.apps import AppConfig


class LeaderboardsConfig(AppConfig):
    """App config for results, boards and the settlement of verdicts."""

    name = "leaderboards"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register results, decisions, places, desk sections and ratings with the games app."""
        # These modules need models, which are only loaded now.
        from games.appeals import deciding  # noqa: PLC0415
        from games.ghosts import results  # noqa: PLC0415
        from games.pages import places  # noqa: PLC0415
        from games.races import ratings  # noqa: PLC0415
        from leaderboards import day, eligibility, ghosts  # noqa: PLC0415
        from leaderboards import deciding as decisions  # noqa: PLC0415
        from leaderboards.desk import sections  # noqa: PLC0415
        from leaderboards.ratings import shown  # noqa: PLC0415

        results.register(results.Results(ghosts.leader, ghosts.next_better, ghosts.among, ghosts.followed))
        deciding.register(decisions.decide)
        places.register(places.Boards(day.of_day, day.own, eligibility.ladder_at))
        sections.register()
        ratings.register(ratings.Ratings(shown.shown_ratings, shown.changes_of))
