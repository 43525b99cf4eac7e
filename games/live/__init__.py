"""The table in memory: from a player's message to the committed move, and back to everybody who looks."""
