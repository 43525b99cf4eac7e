"""Tests of the race pages."""
