"""Deals: certified and sealed in advance, published with a commitment, revealed after their day.

The search is in `games.solver`.
"""
