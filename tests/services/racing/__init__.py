"""Racers and spectators over real WebSockets, with checks of everything they were sent."""
