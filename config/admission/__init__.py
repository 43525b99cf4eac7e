"""Admission control: newcomers queue while a process is overloaded.

The ticket they carry is in `games.core.admission_ticket`.
"""
