"""Pages of finished games: replays, analysis, ghosts, challenges, reports and appeals.

Drawing is in `games.replays`.
"""
