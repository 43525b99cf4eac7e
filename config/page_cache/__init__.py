"""Page cache for visitors without a session; caches of data are in `games.db.shared_cache`."""
