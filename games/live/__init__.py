"""In-memory tables: from a player's message to the committed move, and back to every connection watching."""
