"""Views of the games' pages, with the data passed to their templates."""
