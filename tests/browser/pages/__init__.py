"""Tests of the site's pages in a browser."""
