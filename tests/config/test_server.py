"""The socket that Talon is served on."""

from __future__ import annotations

import socket

from config.server import listen


def test_an_answer_in_two_parts_is_not_held_back() -> None:
    with listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()[:2]):
        connection, _ = listener.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
