#!/usr/bin/env python
"""Django's command line for Talon."""

from __future__ import annotations

import os
import sys

from django.core.management import execute_from_command_line

from config.processes.start_check import explained
from games.rules.version import __version__


@explained()
def main() -> None:
    """Run a management command."""
    if sys.argv[1:] in (["version"], ["--version"]):  # not Django's
        print(f"Talon {__version__}")  # noqa: T201
        return
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
