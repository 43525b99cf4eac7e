"""All checks of the doctor, and the repairs that are safe to run without a person."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Final

from django.core.management import call_command

from config.doctor import address, data, database, servers, workers
from config.doctor.finding import Check, Finding
from leaderboards.verdicts.pending_sweep import resend_pending

log = logging.getLogger(__name__)

#: The first checks; if one finds a fault, those after it cannot be run.
FIRST: Final[tuple[Check, ...]] = (database.database, database.migrations)
#: Checks that take a few seconds in all.
QUICK: Final[tuple[Check, ...]] = (
    database.clock, database.connections, database.collation, database.replicas, database.disk, database.time_zones,
    servers.redis_servers, servers.mail,
    workers.workers, workers.beat, workers.queues, workers.deals, workers.tables,
    address.public_address, address.sockets, address.certificate,
    data.static_files, data.secret_key,
)  # fmt: skip
#: Checks that read large parts of the database.
THOROUGH: Final[tuple[Check, ...]] = (database.indexes, data.ledger_chain, data.boards, data.records)

REPAIRS: Final[dict[str, Callable[[], object]]] = {
    "migrate": lambda: call_command("migrate", verbosity=0, interactive=False),
    "collectstatic": lambda: call_command("collectstatic", verbosity=0, interactive=False),
    "requeue": lambda: resend_pending(after_outage=True),
}
"""Repairs by the name in `Finding.fix`."""


def examine(checks: Iterable[Check]) -> list[Finding]:
    """Return what the first checks find, or else what these find."""
    first = next((found for check in FIRST if (found := _found(check))), [])
    return first or [finding for check in checks for finding in _found(check)]


def _found(check: Check) -> list[Finding]:
    try:
        return list(check())
    except Exception as error:
        log.exception("%s not checked", check.__name__)
        cause = f"The check {check.__name__} failed: {type(error).__name__}: {error}"
        return [Finding(check.__name__, cause, "look at the traceback, and repair the other findings first")]
