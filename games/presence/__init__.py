"""Presence: the players active at this moment and their progress; the lanes of a race are in `games.races.live`."""
