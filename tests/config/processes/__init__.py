"""Tests of the processes that serve the site."""
