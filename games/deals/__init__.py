"""Deals: certified and sealed ahead of time, published with their commitment, revealed when their day is over."""
