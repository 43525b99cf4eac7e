"""Analyses of finished games: which of their positions could still be won."""
