"""Appeals against verdicts and reports of games, with the staff's answers.

Verdicts are settled in `leaderboards.verdicts`.
"""
