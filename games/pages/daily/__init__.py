"""Pages of the daily deals: home, table, archive and a deal's page; boards are in `leaderboards`."""
