"""Results of verified attempts, and the leaderboards that rank them."""
