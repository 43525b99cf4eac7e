"""Tests of names."""
