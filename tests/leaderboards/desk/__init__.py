"""Tests of `leaderboards.desk`."""
