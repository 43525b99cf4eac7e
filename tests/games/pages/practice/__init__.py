"""Tests of the practice pages."""
