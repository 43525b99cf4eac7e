"""Races: rooms where people play the same unseen deal from the same second (`docs/races.md`)."""
