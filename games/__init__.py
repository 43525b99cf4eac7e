"""Deals, attempts and play: everything that happens at a table."""
