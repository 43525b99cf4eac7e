"""`manage.py ledger_head`: print the ledger's head, to be kept elsewhere as evidence."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.deals import ledger_heads


class Command(BaseCommand):
    """Print the ledger's current head, signed if the site has a key."""

    help = "Print the ledger's current head, signed if the site has a key (LEDGER_KEY). Store it elsewhere."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the option to print a new key."""
        parser.add_argument("--new-key", action="store_true", help="print a new key for the setting LEDGER_KEY instead")

    def handle(self, *args: object, **options: Any) -> None:  # noqa: ARG002, ANN401
        """Print the head, or a new key."""
        if options["new_key"]:
            self.stdout.write(f"LEDGER_KEY={ledger_heads.new_key()}")
            return
        heads = ledger_heads.heads(1)
        if not heads:
            raise CommandError("the ledger has no line yet")
        self.stdout.write(ledger_heads.signed(heads[0]))
