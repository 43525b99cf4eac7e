"""Tests of what all pages share: view models, the header and query counts."""
