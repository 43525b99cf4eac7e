"""Tests of the backends that settings name."""
