"""The soak: the production shape with simulated players under random kills, and whether anything was lost or is wrong.

`python -m tests.services.soak --help`, or `make soak`.
"""
