"""Ratings of puzzles and their players (docs/puzzles.md, "Ratings")."""
