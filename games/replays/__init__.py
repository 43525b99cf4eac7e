"""Replays of finished games: who may watch them, games that go on from them, and animated pictures of them."""
