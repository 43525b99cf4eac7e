"""Race ratings: a fold over the finished rated races in order. `docs/ratings.md` has the rules."""
