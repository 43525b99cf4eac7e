"""Hints: questions whether a game can still be won, and the solver searches that answer them."""
