"""The five games, one module each; their options and the nine daily variants are in `games.rules.catalogue`."""
