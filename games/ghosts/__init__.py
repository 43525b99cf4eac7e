"""Races against recorded games: ghosts, challenges and the inbox."""
