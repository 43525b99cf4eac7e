"""Tests of bans, erasure and export."""
