"""Puzzle storm: as many puzzles as possible in three minutes, and the board of the day."""
