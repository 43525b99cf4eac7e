"""Races: rooms, seats, starts, finishes and places."""
