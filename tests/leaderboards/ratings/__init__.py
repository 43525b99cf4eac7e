"""Tests of `leaderboards.ratings`."""
