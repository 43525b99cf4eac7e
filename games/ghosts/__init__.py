"""Ghosts and challenges: games against a recorded one; races against live players are in `games.races`."""
