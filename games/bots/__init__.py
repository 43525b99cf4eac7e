"""Bots, programs that race against people: how they choose moves. Their seats are in `games.races.bots`."""
