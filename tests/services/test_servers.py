"""Servers started by tests: their ports, and the conditions for starting one."""

from __future__ import annotations

import socket
from pathlib import Path

import psycopg
import pytest

from deploy import servers
from tests.postgres import new_database, running_postgres


def test_consecutive_ports_are_all_free(monkeypatch: pytest.MonkeyPatch) -> None:
    first = servers.free_port(4)
    monkeypatch.setattr(servers, "PORTS", [first, first + 1, first + 2])
    with socket.create_server(("127.0.0.1", first + 1)):
        assert servers.free_port(2) == first + 2


@pytest.mark.needs("postgres")
@pytest.mark.services
def test_tests_start_postgresql_where_none_is_named(cluster: Path) -> None:
    with (
        running_postgres(lambda: cluster, named="") as server,
        new_database(server.url, server.migrated) as url,
        psycopg.connect(url) as connection,
    ):
        connection.execute("SELECT 1 FROM accounts_user")
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(server.url)
