"""The errors of the rules library: bad deals, tokens, positions, records and races.

Every error is a `RulesError`, which is a `ValueError`, and has a stable `code` as well as a message.
"""

from __future__ import annotations

from typing import ClassVar

from games.rules.illegal_reasons import IllegalMoveReason


def quoted(value: object) -> str:
    """Format an untrusted value for a message: short and safe to print.

    Strings are cut to 20 characters and escaped. Integers of more than 18 digits, and values that are neither text nor
    numbers, are shown only by their type, because printing them could itself fail.
    """
    if isinstance(value, str):
        return ascii(value[:20])
    if value is None or isinstance(value, float) or (isinstance(value, int) and abs(value) < 10**18):
        return str(value)
    return f"<{type(value).__name__}>"


class RulesError(ValueError):
    """Base class of the errors that the rules library raises on purpose."""

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
    """A race file that does not have the form described in docs/records.md."""

    code = "bad_race"


class TokenError(RulesError):
    """A refused token. `token` is the token itself if it is ASCII, else a short printable form; `reason` says why."""

    def __init__(self, token: object, reason: str) -> None:
        self.token = token if isinstance(token, str) and token.isascii() else quoted(token)
        self.reason = reason
        super().__init__(f"{self.token[:40]}: {reason}")


class InvalidTokenError(TokenError):
    """A value that is not a token of this game."""

    code = "invalid_token"


class IllegalMoveError(TokenError):
    """A token of this game that is not legal in this position; `why` is the machine-readable reason."""

    code = "illegal_move"

    def __init__(self, token: object, why: IllegalMoveReason) -> None:
        self.why = why
        super().__init__(token, str(why))


class RecordFullError(IllegalMoveError):
    """A token beyond the largest number that a record may hold."""

    code = "record_full"
