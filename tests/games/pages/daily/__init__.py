"""Tests of the daily pages."""
