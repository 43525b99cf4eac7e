"""Game analysis: finds the positions of a finished game that could still be won.

Hints in running games are in `games.hints`.
"""
