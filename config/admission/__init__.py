"""Admission control: newcomers queue while a process is overloaded; players already in the game never wait."""
