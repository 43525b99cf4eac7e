"""Attempts: start, pause, close and verification of a game; live play is in `games.live`."""
