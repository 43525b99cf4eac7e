"""Why moves lose: simulated games after them, and the game to show."""
