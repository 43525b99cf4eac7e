"""The games, one module each; their options and the daily variants are in `games.rules.catalogue`."""
