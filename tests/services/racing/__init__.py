"""Racers and spectators over the real WebSockets, and whether what they were told is right."""
