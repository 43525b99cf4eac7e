"""Tests of races in a browser."""
