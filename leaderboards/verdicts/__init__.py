"""Verdicts: settlement of finished attempts, staff decisions, sweeps and re-verification.

Checks are in `games.attempts.verification`.
"""
