"""Solver of Labyrinth: an exhaustive search; the rules are in `games.rules.variants.labyrinth`."""
