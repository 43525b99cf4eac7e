"""The errors of the rules library: bad deals, tokens, positions, records and races.

Every error is a `RulesError`, which is a `ValueError`, and has a stable `code` as well as a message.
"""

from __future__ import annotations

from typing import ClassVar

from .reasons import Reason


def quoted(value: object) -> str:
    """A value from outside, short and safe to print.

    Strings are cut to 20 characters and escaped. Integers of more than 18 digits, and anything that is neither text nor
    a number, are shown by their type only, since printing them could itself fail.
    """
    if isinstance(value, str):
        return ascii(value[:20])
    if value is None or isinstance(value, float) or (isinstance(value, int) and abs(value) < 10**18):
        return str(value)
    return f"<{type(value).__name__}>"


class RulesError(ValueError):
    """Base of all errors that the rules library raises on purpose."""

    code: ClassVar[str] = "rules_error"


class OptionError(RulesError):
    """An unknown variant, game, option or rules version."""

    code = "bad_option"


class SeedError(RulesError):
    """A seed that is not 32 bytes."""

    code = "bad_seed"


class DeckError(RulesError):
    """A deck order that is not a permutation of the game's deck."""

    code = "bad_deck"


class PositionError(RulesError):
    """A position text that cannot be read or that no game can reach."""

    code = "bad_position"


class RecordError(RulesError):
    """A record that does not have the form described in docs/records.md."""

    code = "bad_record"


class RaceError(RulesError):
    """A race's file that does not have the form described in docs/records.md."""

    code = "bad_race"


class TokenError(RulesError):
    """A token was refused. `token` says which one (shortened if it is strange) and `reason` why."""

    def __init__(self, token: object, reason: str) -> None:
        self.token = token if isinstance(token, str) and token.isascii() else quoted(token)
        self.reason = reason
        super().__init__(f"{self.token[:40]}: {reason}")


class InvalidTokenError(TokenError):
    """Not a token of this game."""

    code = "invalid_token"


class IllegalMoveError(TokenError):
    """A token of this game that is not legal in this position; `why` says so for programs."""

    code = "illegal_move"

    def __init__(self, token: object, why: Reason) -> None:
        self.why = why
        super().__init__(token, str(why))


class RecordFullError(IllegalMoveError):
    """The record already holds the largest number of tokens allowed."""

    code = "record_full"
