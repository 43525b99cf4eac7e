"""Tests of logs, metrics and health probes."""
