#!/usr/bin/env python
"""Django's command line for Talon."""

from __future__ import annotations

import os
import sys

from django.core.management import execute_from_command_line

from config.processes.start_check import explained


@explained()
def main() -> None:
    """Run a management command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
