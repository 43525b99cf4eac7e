"""Summary after a game: rank, distributions, charts and the leader's pace; boards are in `leaderboards.boards`."""
