"""Puzzle races: the racers' storms from the first puzzle to the end; rooms, seats and starts are those of all races."""
