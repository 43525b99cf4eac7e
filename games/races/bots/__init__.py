"""Bots in rooms: their seats and the moves they make; how they choose moves is in `games.bots`."""
