"""Quick matches: the queue, its roll call, and the notice to players who wait on other pages."""
