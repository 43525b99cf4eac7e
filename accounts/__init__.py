"""Players: accounts, guests, names, profiles and rights over data; allauth has the sign-in pages."""
