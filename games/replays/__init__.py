"""Replays: access, continuations, animated pictures and preview images; their pages are in `games.pages.replays`."""
