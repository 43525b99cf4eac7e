"""Tests of the pages of finished games."""
