"""Management commands whose help includes examples and exit codes."""

from __future__ import annotations

import argparse
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandParser


class ExplainedCommand(BaseCommand):
    """Command that prints `epilog` verbatim below its help. It needs every migration applied."""

    epilog: ClassVar[str]
    requires_migrations_checks = True

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:  # noqa: ANN401
        """Create the parser, with examples and exit codes in its help."""
        formatter = argparse.RawDescriptionHelpFormatter
        return super().create_parser(prog_name, subcommand, formatter_class=formatter, epilog=self.epilog, **kwargs)
