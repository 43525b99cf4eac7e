"""Attendance: the roll call at the start of a race, and notes to the players who missed it."""
