"""Replays of finished games: access, continuations, animated pictures and link previews."""
