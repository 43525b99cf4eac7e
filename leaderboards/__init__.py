"""Leaderboards, ratings and verdicts of finished games; races themselves are in `games.races`."""
