"""The rules of Talon's patience games.

Open a table, list the legal moves, push tokens, show the view; keep a record and replay it:

    table = open_table("braid", seed)
    table.push(table.legal_moves()[0])
    table.view()

The library imports nothing outside the standard library. Deals come from the shuffle in docs/shuffle.md, records have
the forms in docs/records.md, and tokens are spelled as in `tokens`. Each game module names the rules page it follows.
"""

from games.rules.catalogue import CATALOGUE, GAMES, RULES_VERSION, RULESETS, Ruleset, Variant, open_table, shuffled_deck
from games.rules.errors import (
    DeckError,
    IllegalMoveError,
    InvalidTokenError,
    OptionError,
    PositionError,
    RaceError,
    RecordError,
    RecordFullError,
    RulesError,
    SeedError,
    TokenError,
)
from games.rules.position_text import read_position as from_position
from games.rules.progress_time import NO_PROGRESS, Progress
from games.rules.races.document import Entry, RaceFile, race_commitment, race_terms
from games.rules.races.file_checks import Problem, RaceCheck, check_race
from games.rules.races.ranking import Score, places
from games.rules.records import End, Record
from games.rules.replay import Failure, Replay, replay
from games.rules.shuffle import commitment, read_seed
from games.rules.table import MAX_TOKENS, Option, Table

__all__ = [
    "CATALOGUE",
    "GAMES",
    "MAX_TOKENS",
    "NO_PROGRESS",
    "RULESETS",
    "RULES_VERSION",
    "DeckError",
    "End",
    "Entry",
    "Failure",
    "IllegalMoveError",
    "InvalidTokenError",
    "Option",
    "OptionError",
    "PositionError",
    "Problem",
    "Progress",
    "RaceCheck",
    "RaceError",
    "RaceFile",
    "Record",
    "RecordError",
    "RecordFullError",
    "Replay",
    "RulesError",
    "Ruleset",
    "Score",
    "SeedError",
    "Table",
    "TokenError",
    "Variant",
    "check_race",
    "commitment",
    "from_position",
    "open_table",
    "places",
    "race_commitment",
    "race_terms",
    "read_seed",
    "replay",
    "shuffled_deck",
]
