"""Tests of the translatable texts and their catalogues."""
