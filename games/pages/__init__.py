"""HTML pages of the games, by subject; the pages of accounts and boards are in their own apps."""
