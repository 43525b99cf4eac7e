"""Soak test: the production shape with players of daily games and races, whose servers and networks fail at random.

`python -m tests.services.soak --help`, or `make soak`.
"""
