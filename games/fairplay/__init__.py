"""Cheat detection for legal games.

A finding is a reason for staff to look, and verdicts are settled in `leaderboards.verdicts`.
"""
