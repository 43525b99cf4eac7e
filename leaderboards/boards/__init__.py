"""Leaderboards: rank keys, queries, seasons and live updates; verdicts about entries are in `leaderboards.verdicts`."""
