"""Losing moves: proofs with the rules alone, explanations in words, and games that show the loss."""
