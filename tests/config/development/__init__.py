"""Tests of the documentation, the make targets and the benchmarks."""
