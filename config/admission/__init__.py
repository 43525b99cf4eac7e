"""Admission control: newcomers wait in a queue while a process is overloaded; players who are in never do."""
