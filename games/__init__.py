"""Deals, attempts and live play."""
