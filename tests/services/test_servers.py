"""Where servers of our own listen."""

from __future__ import annotations

import socket

import pytest

from deploy import servers


def test_ports_in_a_row_are_all_free(monkeypatch: pytest.MonkeyPatch) -> None:
    first = servers.free_port(4)
    monkeypatch.setattr(servers, "PORTS", [first, first + 1, first + 2])
    with socket.create_server(("127.0.0.1", first + 1)):
        assert servers.free_port(2) == first + 2
