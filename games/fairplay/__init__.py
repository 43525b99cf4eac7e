"""Whether a legal game is a fair one. What is found here is a reason to look, never a verdict."""
