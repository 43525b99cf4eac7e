"""Solver of Tarot Solitaire: search, loss estimate and the packed position.

The rules are in `games.rules.variants.tarot`.
"""
