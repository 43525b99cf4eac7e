"""Live tables: WebSocket play, from a message to the committed move and back to every viewer.

Finished games are in `games.attempts`.
"""
