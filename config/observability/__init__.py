"""Logs, metrics and health probes; metrics of a single subject are defined in `games.core.metrics`."""
