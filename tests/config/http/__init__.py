"""Tests of HTTP handling: middleware, errors and hostile requests."""
