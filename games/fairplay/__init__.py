"""Cheat detection for legal games. A finding here is a reason for staff to look, never a verdict."""
