"""Races: rooms in which players start the same unseen deal at the same second (`docs/races.md`)."""
