"""Appeals against verdicts, and reports of games: what players ask of staff, and what they are answered."""
