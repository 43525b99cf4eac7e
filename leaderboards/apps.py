"""The leaderboards application."""

from __future__ import annotations

from django.apps import AppConfig


class LeaderboardsConfig(AppConfig):
    """App config for results, boards and the settlement of verdicts."""

    name = "leaderboards"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register results, decisions, places and ratings with the games app."""
        # These modules need models, which are only loaded now.
        from games.appeals.decision_registry import decider  # noqa: PLC0415
        from games.daily.day_places import Boards, boards  # noqa: PLC0415
        from games.ghosts.boards_registry import Results, results  # noqa: PLC0415
        from games.races.results.ratings_registry import Ratings, ratings  # noqa: PLC0415
        from leaderboards.boards import daily_overview, deal_boards, eligibility, ghost_candidates  # noqa: PLC0415
        from leaderboards.ratings import folding, shown_points  # noqa: PLC0415
        from leaderboards.verdicts import decisions  # noqa: PLC0415

        results.register(
            Results(
                leader=ghost_candidates.leader,
                next_better=ghost_candidates.next_better,
                among=ghost_candidates.among,
                followed=deal_boards.followed,
            )
        )
        decider.register(decisions.decide)
        boards.register(Boards(of_day=daily_overview.of_day, own=daily_overview.own, ladder_of=eligibility.ladder_at))
        ratings.register(
            Ratings(
                shown=shown_points.shown_ratings,
                provisional=shown_points.provisional_ratings,
                changes=shown_points.changes_of,
                mark_stale=folding.mark_stale,
            )
        )
