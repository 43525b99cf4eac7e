"""Presence: the players active at this moment."""
