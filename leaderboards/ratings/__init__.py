"""Race ratings: a fold over the finished rated races in order (docs/ratings.md).

Races are finished in `games.races`.
"""
