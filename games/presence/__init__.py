"""Who is playing now."""
