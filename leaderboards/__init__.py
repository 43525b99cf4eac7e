"""Results of verified attempts, and the boards that rank them."""
