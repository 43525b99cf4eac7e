"""Tests of the table, replays and analysis in a browser."""
