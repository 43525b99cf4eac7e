"""Solver of Braid: searches, proofs of loss and the packed position; the rules are in `games.rules.variants.braid`."""
