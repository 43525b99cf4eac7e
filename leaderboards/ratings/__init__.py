"""Ratings of racers: a fold over the finished rated races in their order. `docs/ratings.md` has the rules."""
