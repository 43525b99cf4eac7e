"""Runs of puzzles: storms, races and streaks, and their boards."""
