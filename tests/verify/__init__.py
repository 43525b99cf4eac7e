"""The checks that a visitor's browser makes, run in Node."""
