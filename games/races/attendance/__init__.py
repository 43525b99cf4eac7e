"""Attendance: the roll call at the start of a race, and what the pages of waiting players show."""
