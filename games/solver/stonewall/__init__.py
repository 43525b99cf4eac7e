"""Solver of Stonewall: searches, proof of loss and the packed position.

The rules are in `games.rules.variants.stonewall`.
"""
