"""Tests of quick matches: the queue, and the roll call before the start."""
