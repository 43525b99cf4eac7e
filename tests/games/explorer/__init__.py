"""Tests of the explorer: what everyone played at a deal."""
