"""Tests of race documents and rankings."""
