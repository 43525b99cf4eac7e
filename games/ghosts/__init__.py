"""Racing against recorded games: ghosts, challenges, and what a player is told of them."""
