"""Tests of sign-in."""
