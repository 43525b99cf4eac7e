"""Simulated races over real sockets, with checks afterwards; `make heat` runs a race of 64."""
