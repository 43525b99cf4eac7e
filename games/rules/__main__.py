"""`python -m games.rules`: deal, play, verify and count from the command line; `talon` has the same commands.

Exit codes: 0 done or verified, 1 record or race refused, 2 bad input.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TextIO

from games.rules.catalogue import CATALOGUE, GAMES, RULES_VERSION, open_table
from games.rules.errors import RulesError, TokenError
from games.rules.perft import divide, perft
from games.rules.position_text import read_options, read_position
from games.rules.races.document import RaceFile, is_race
from games.rules.races.file_checks import check_race
from games.rules.records import End, How, Record
from games.rules.replay import replay
from games.rules.shuffle import commitment, read_seed, shuffled
from games.rules.table import Table
from games.rules.terminal import draw
from games.rules.verify_reports import race_report, read_document, replay_report

_PLAY_HELP: Final = "a token, 'moves' for the legal ones, 'u' to undo, 'quit' to resign"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. The arguments default to the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m games.rules",
        description="Deal, play, verify and count patience games.",
        epilog="Variants: " + ", ".join(CATALOGUE) + ". Exit codes: 0 done or verified, 1 refused, 2 invalid input.",
    )
    add_commands(parser.add_subparsers(required=True, metavar="COMMAND").add_parser)
    return run(parser.parse_args(arguments))


def run(options: argparse.Namespace, program: str = "games.rules") -> int:
    """Run the selected command and return its exit code. `program` is the prefix of error messages."""
    command: Callable[[argparse.Namespace], int] = options.command
    try:
        return command(options)
    except (RulesError, OSError) as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2


def add_commands(add: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the subcommands of the rules. ``add`` is the ``add_parser`` method of the subparsers."""
    deal = add("deal", help="show the deck and the table of a seed")
    _add_deal(deal)
    deal.add_argument("--json", action="store_true", help="print deck, commitment and view as JSON")
    deal.set_defaults(command=_deal)
    play = add("play", help="play in the terminal", description=f"At the prompt: {_PLAY_HELP}.")
    _add_deal(play, seed_needed=False)
    play.add_argument("--save", metavar="FILE", type=Path, help="write the finished record to FILE as JSON")
    play.set_defaults(command=_play)
    check = add("verify", help="replay a record, or all records of a race, and print the result")
    check.add_argument("file", metavar="FILE", help="a record or a race as JSON, or - for standard input")
    check.add_argument("--json", action="store_true", help="print the result as JSON")
    check.set_defaults(command=_verify)
    count = add("perft", help="count the legal move sequences of a given length")
    count.add_argument("variant", metavar="VARIANT|POSITION", help="a variant with --seed, or a position's line")
    count.add_argument("depth", metavar="DEPTH", type=int)
    count.add_argument("--seed", metavar="SEED", help="64 hexadecimal digits")
    count.add_argument("--divide", action="store_true", help="split the count by the first move")
    count.set_defaults(command=_perft)


def _add_deal(parser: argparse.ArgumentParser, *, seed_needed: bool = True) -> None:
    parser.add_argument("variant", metavar="VARIANT", help="a variant, or with --option a game: " + ", ".join(GAMES))
    description = "64 hexadecimal digits" + ("" if seed_needed else "(default: random)")
    parser.add_argument("seed", metavar="SEED", nargs=None if seed_needed else "?", help=description)
    parser.add_argument(
        "--option", metavar="NAME=VALUE", action="append", default=[], help="an option of the game; can be repeated"
    )


def _deal(options: argparse.Namespace) -> int:
    seed = read_seed(options.seed)
    table = open_table(options.variant, seed, read_options(options.option) or None)
    deck = table.DECK.written(shuffled(table.DECK.cards, seed))
    if options.json:
        print(json.dumps({"commitment": commitment(seed), "deck": deck, "view": table.view()}))
        return 0
    print(f"commitment   {commitment(seed)}\ndeck         {' '.join(deck)}\n\n{draw(table.view())}")
    return 0


def _play(options: argparse.Namespace) -> int:
    seed = read_seed(options.seed) if options.seed else secrets.token_bytes(32)
    option_values = read_options(options.option) or None
    table = open_table(options.variant, seed, option_values)
    print(f"At the prompt: {_PLAY_HELP}.\n\n{draw(table.view())}")
    tokens, clock, end = _play_tokens(table, sys.stdin)
    game_options = None if option_values is None else dict(table.options)
    record = Record(RULES_VERSION, options.variant, game_options, seed, tuple(tokens), tuple(clock), end)
    print(replay_report(replay(record)))
    if options.save:
        options.save.write_text(json.dumps(record.to_json()) + "\n")
    return 0


def _play_tokens(table: Table, lines: TextIO) -> tuple[list[str], list[int], End]:
    """Play the tokens typed until the game is won or resigned, or the input ends. Times are milliseconds."""
    tokens: list[str] = []
    clock: list[int] = []
    began = time.monotonic()
    how: How = "resigned"
    while not table.is_won:
        print(f"{table.token_count + 1}> ", end="", flush=True)
        line = lines.readline()
        word = line.strip()
        if not line or word == "quit":
            break
        if word == "moves":
            print(" ".join(table.legal_moves()) or "none" + (", but u" if table.can_undo else ""))
        elif word:
            try:
                table.push(word)
            except TokenError as error:
                print(error)
                continue
            tokens.append(word)
            clock.append(int(1000 * (time.monotonic() - began)))
            print(f"\n{draw(table.view())}" + ("\nNo move is left; u undoes, quit resigns." * table.is_stuck))
    else:
        how = "won"
    ms = clock[-1] if how == "won" else int(1000 * (time.monotonic() - began))
    return tokens, clock, End(how, ms)


def _verify(options: argparse.Namespace) -> int:
    data = read_document(options.file)
    if is_race(data):
        race = RaceFile.from_json(data)
        check = check_race(race)
        print(json.dumps(check.to_json()) if options.json else race_report(race, check))
        return 0 if check.ok else 1
    result = replay(Record.from_json(data))
    print(json.dumps(result.to_json()) if options.json else replay_report(result))
    return 0 if result.ok else 1


def _perft(options: argparse.Namespace) -> int:
    if options.depth < 1:
        raise RulesError("the depth is at least 1")
    by_line = " | " in options.variant
    table = read_position(options.variant) if by_line else open_table(options.variant, read_seed(options.seed))
    if not options.divide:
        print(perft(table, options.depth))
        return 0
    counts = divide(table, options.depth)
    for token, count in counts.items():
        print(f"{token:<10} {count}")
    print(f"{'total':<10} {sum(counts.values())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
