"""WebSocket connections: base consumer, authentication, limits, send queue and closing.

The game's messages are in `games.live`.
"""
