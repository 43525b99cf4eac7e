"""Solver of The Plot: search, proof of loss and the packed position; the rules are in `games.rules.variants.plot`."""
