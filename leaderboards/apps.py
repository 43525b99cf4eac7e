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
        from games.appeals.deciding import decider  # noqa: PLC0415
        from games.ghosts.results import Results, results  # noqa: PLC0415
        from games.pages.places import Boards, boards  # noqa: PLC0415
        from games.races.ratings import Ratings, ratings  # noqa: PLC0415
        from leaderboards import day, deciding, eligibility, ghosts  # noqa: PLC0415
        from leaderboards.desk import sections  # noqa: PLC0415
        from leaderboards.ratings import shown  # noqa: PLC0415

        results.register(Results(ghosts.leader, ghosts.next_better, ghosts.among, ghosts.followed))
        decider.register(deciding.decide)
        boards.register(Boards(day.of_day, day.own, eligibility.ladder_at))
        sections.register()
        ratings.register(Ratings(shown.shown_ratings, shown.changes_of))
