"""Tests of live rooms: sockets, lanes, and what viewers are sent."""
