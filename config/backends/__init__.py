"""Custom database backends."""
