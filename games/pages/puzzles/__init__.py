"""Pages of the puzzles: today's, the past days', and any puzzle by its number."""
