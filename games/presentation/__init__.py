"""Presentation of games, deals and players to people: display names, view models, and parts of pages; no views."""
