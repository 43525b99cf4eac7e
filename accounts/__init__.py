"""Who plays: accounts, guests, profiles, statistics, and a player's rights over their data."""
