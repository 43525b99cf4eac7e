"""Attendance: who is present at the start of a race, and what those who were not are told."""
