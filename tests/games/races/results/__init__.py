"""Tests of race results: files and heat standings."""
