"""Tests of static files."""
