"""Tests of the five games' rules."""
