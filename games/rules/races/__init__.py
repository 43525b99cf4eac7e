"""Finished races: ranking, race documents and their verification; live races are in `games.races`."""
