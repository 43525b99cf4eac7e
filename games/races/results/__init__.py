"""Results of races: places, race files, commitments and heat standings; ratings are in `leaderboards.ratings`."""
