"""Deals, attempts, live play and races; boards and ratings are in `leaderboards`, players in `accounts`."""
