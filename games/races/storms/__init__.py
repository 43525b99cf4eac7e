"""Storms of the racers in puzzle races: who may move, the progress that others see, and the end."""
