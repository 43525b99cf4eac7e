"""Acceptance study of fair play: models of people, programs, and how often each is flagged."""
