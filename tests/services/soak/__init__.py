"""Soak test: the production shape with simulated players under random kills, checked for losses and errors.

`python -m tests.services.soak --help`, or `make soak`.
"""
