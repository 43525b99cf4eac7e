"""Pages of races: lobby, room, results and heats; the live updates are in `games.races.live`."""
