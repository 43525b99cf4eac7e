"""Tests of push reminders."""
