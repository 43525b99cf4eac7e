"""Shared foundations without models: errors, events, limits, metrics, addresses, retention.

Database reads are in `games.db`.
"""
