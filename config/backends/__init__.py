"""Backends that settings name: cache, channel layer, broker, beat, templates, database; nothing imports them."""
