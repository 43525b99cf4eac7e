"""Pages of practice: choosing a deal, links to deals, and hints; deals are found in `games.deals`."""
