"""Races: rooms, seats, quick matches, heats, start and finish; ratings are in `leaderboards.ratings`."""
