"""Tests of the information pages."""
