"""What can be wrong with a deal, a token, a position or a record.

Every error is a `RulesError`, itself a `ValueError`, and carries a stable `code` beside its message.
"""

from __future__ import annotations

from typing import ClassVar


def quoted(value: object) -> str:
    """A value from outside in few characters, all of them safe to print.

    Only text and small numbers are shown: writing out a huge number or deeply nested lists is itself an error.
    """
    if isinstance(value, str):
        return ascii(value[:20])
    if value is None or isinstance(value, float) or (isinstance(value, int) and abs(value) < 10**18):
        return str(value)
    return f"<{type(value).__name__}>"


class RulesError(ValueError):
    """Base of every error the rules library raises on purpose."""

    code: ClassVar[str] = "rules_error"


class OptionError(RulesError):
    """No such variant, game, option or rules version."""

    code = "bad_option"


class SeedError(RulesError):
    """A seed that is not 32 bytes."""

    code = "bad_seed"


class DeckError(RulesError):
    """A deck order that is not a permutation of the game's deck."""

    code = "bad_deck"


class PositionError(RulesError):
    """A position text that cannot be read, or that no game could show."""

    code = "bad_position"


class RecordError(RulesError):
    """A record that is not of the documented form."""

    code = "bad_record"


class TokenError(RulesError):
    """A token was refused; says which one and why."""

    def __init__(self, token: object, reason: str) -> None:
        self.token = token if isinstance(token, str) and token.isascii() else quoted(token)
        self.reason = reason
        super().__init__(f"{self.token[:40]}: {reason}")


class InvalidTokenError(TokenError):
    """Not a token of this game at all."""

    code = "invalid_token"


class IllegalMoveError(TokenError):
    """A token, but not a legal one in this position."""

    code = "illegal_move"


class RecordFullError(IllegalMoveError):
    """The record already holds as many tokens as a record may."""

    code = "record_full"
