"""``talon``: command line of the distribution, combining the commands of ``games.rules`` and ``games.solver``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from games.rules import CATALOGUE
from games.rules import __main__ as rules
from games.rules.version import __version__
from games.solver import __main__ as solver


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. The arguments default to the command line."""
    parser = argparse.ArgumentParser(
        prog="talon",
        description="Deal, play, verify and solve the patience games of Talon.",
        epilog="Variants: " + ", ".join(CATALOGUE) + ". Exit codes: 0 done, 1 refused or lost, 2 invalid input.",
    )
    parser.add_argument("--version", action="version", version=f"talon {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    rules.add_commands(commands.add_parser)
    solve = commands.add_parser("solve", help="find a winning line from a deal, a position or a record")
    solver.add_arguments(solve)
    solve.set_defaults(command=solver.run)
    return rules.run(parser.parse_args(arguments), "talon")


if __name__ == "__main__":
    sys.exit(main())
