"""Puzzles: positions in which a single move wins, and the tries at them; their pages are in `games.pages.puzzles`."""
