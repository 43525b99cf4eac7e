"""Capacity planning: the cores, connections, bytes and servers needed for a day with its midnight rush.

`python -m benchmarks.capacity --players 1000000` prints the needs of such a day, from the costs in capacity.json.
`--costs` names a file with others. docs/capacity.md explains the figures.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.capacity_model import Costs, Demand, Limit, Needs, Shape, limits, needs

COSTS = Path(__file__).with_suffix(".json")

HELP = {
    "players": "of the day",
    "rush": "share of arrivals in the midnight rush",
    "minutes": "in which the rush fades to a third",
    "newcomers": "share of arrivals without a session",
    "games": "per player",
    "moves": "per game",
    "pace": "seconds per move",
    "watching": "share of players who also watch a board",
    "racing": "share of players in a race",
    "spectating": "share of players who also watch a race",
    "busy": "share of a core that a process may use at the peak",
    "cores": "per server",
    "sockets": "per web process, MAX_SOCKETS",
    "pool": "database connections per web process, DATABASE_POOL",
    "connections": "of PostgreSQL, max_connections",
}


def main(arguments: list[str] | None = None) -> int:
    """Print what the arguments ask for, and return the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        demand = Demand(**{one.name: getattr(options, one.name) for one in fields(Demand)})
        shape = Shape(**{one.name: getattr(options, one.name) for one in fields(Shape)})
        costs = read(options.costs)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    found, reached = needs(costs, demand, shape), limits(costs, demand, shape)
    if options.json:
        print(json.dumps({"needs": asdict(found), "limits": [asdict(one) for one in reached]}))
    else:
        print("\n".join(lines(costs, demand, found, reached)))
    return 0


def read(path: Path) -> Costs:
    """Read stored costs."""
    return msgspec.json.decode(path.read_bytes(), type=Costs)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--costs", type=Path, metavar="FILE", default=COSTS, help="measured costs")
    parser.add_argument("--json", action="store_true", help="print JSON")
    for kind in (Demand, Shape):
        group = parser.add_argument_group("the day" if kind is Demand else "the configuration of the site")
        for name, default in asdict(kind()).items():
            about = f"{HELP[name]} (%(default)s)"
            group.add_argument(f"--{name}", type=type(default), default=default, metavar="N", help=about)
    return parser


def lines(costs: Costs, demand: Demand, found: Needs, reached: list[Limit]) -> list[str]:
    """Return the lines of the report."""
    rows: tuple[tuple[str, Any, str], ...] = (
        ("players of the day", demand.players, ",.0f"),
        ("at the peak: arrivals per second", found.arrivals, ",.1f"),
        ("moves per second", found.moves, ",.0f"),
        ("verdicts per second", found.verdicts, ",.1f"),
        ("WebSockets", found.sockets, ",.0f"),
        ("sent, MiB/s", found.sent_mib_a_second, ",.1f"),
        ("PostgreSQL's log, MiB/s", found.wal_mib_a_second, ",.2f"),
        ("cores in use: web", found.web_cores, ",.2f"),
        ("worker", found.worker_cores, ",.2f"),
        ("PostgreSQL", found.postgres_cores, ",.2f"),
        ("Redis", found.redis_cores, ",.2f"),
        ("needed: web processes", found.web_processes, ",d"),
        ("worker processes (verdicts)", found.worker_processes, ",d"),
        ("servers for both", found.servers, ",d"),
        ("cores for PostgreSQL", found.postgres_cores_wanted, ",d"),
        ("Redis servers", found.redis_servers, ",d"),
        ("connections to the database, at most", found.database_connections, ",d"),
        ("memory of web processes, GiB", found.web_memory_gib, ",.1f"),
        ("per day: sent, GiB", found.sent_gib_a_day, ",.1f"),
        ("PostgreSQL's log, GiB", found.wal_gib_a_day, ",.1f"),
        ("kept permanently, GiB", found.kept_gib_a_day, ",.2f"),
        ("journal of two days, GiB", found.journal_gib, ",.2f"),
    )
    return [
        f"with costs measured on {costs.taken}: {costs.machine}",
        *(f"{what:>40}  {value:{form}}" for what, value, form in rows),
        "exhausted first, by players per day:",
        *(f"{limit.players:>12,.0f}  {limit.what}" for limit in reached),
    ]


if __name__ == "__main__":
    sys.exit(main())
