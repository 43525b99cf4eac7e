"""Tests of `leaderboards.summary`."""
