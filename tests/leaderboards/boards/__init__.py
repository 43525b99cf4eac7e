"""Tests of `leaderboards.boards`."""
