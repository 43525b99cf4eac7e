"""Webhooks that get the results of a room, in the form of Discord's."""
