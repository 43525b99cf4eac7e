"""Whether a game can still be won: questions, and the search that answers them."""
