"""Appeals against verdicts, reports of games, and the staff's answers to both."""
