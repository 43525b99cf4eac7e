"""Explorer: what everyone played at a deal, position by position, once the deal is revealed."""
