"""Database access that bypasses or caches the ORM: hot queries, replicas, timeouts, shared cache.

Models are in `games.models`.
"""
