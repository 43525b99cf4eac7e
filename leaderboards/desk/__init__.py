"""Staff desk in the admin: the review queue and the evidence about each game.

Decisions are made in `leaderboards.verdicts`.
"""
