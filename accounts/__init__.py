"""Players: accounts, guests, profiles, statistics, and players' rights over their data."""
