"""Upgrades of databases that earlier commits made: `python -m tests.upgrades`."""
