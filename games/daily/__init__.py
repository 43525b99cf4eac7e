"""A day of deals: its leaders and places, a player's summary of it, and the recap on the next day."""
