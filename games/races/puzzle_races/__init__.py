"""Puzzle races: the racers' storms. Rooms, seats and starts are the same as in other races."""
