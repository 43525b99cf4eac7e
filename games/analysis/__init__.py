"""Game analysis: finds the positions of a finished game that could still be won."""
