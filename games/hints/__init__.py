"""Hints: winning plans, and the search queue behind them; the pages that ask are in `games.pages.practice`."""
