"""Helpers shared by all pages: view models, titles, URL converters and the page cache marker; no views."""
