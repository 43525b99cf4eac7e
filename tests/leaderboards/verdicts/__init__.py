"""Tests of `leaderboards.verdicts`."""
