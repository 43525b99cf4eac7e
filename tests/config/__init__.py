"""Tests of the site's configuration, and helpers to run it and to send requests to it."""
