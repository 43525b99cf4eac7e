"""Game records: everything needed to replay a game, and their JSON form.

The JSON form (docs/records.md, "JSON") is an object:

    {"rules": 1, "variant": "braid", "seed": "<64 hex digits>", "tokens": ["d", "w-f"], "clock": [1200, 2900],
     "end": {"how": "resigned", "ms": 5000}}

A game outside the catalogue has `"game": …, "options": {…}` instead of `"variant"`. `packed` has the binary form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, Self, cast

from games.rules.catalogue import open_table, resolve
from games.rules.errors import InvalidTokenError, OptionError, RecordError, RulesError, quoted
from games.rules.record_encoding import MAX_MS, Packed, pack, unpack
from games.rules.shuffle import check_seed, read_seed
from games.rules.table import MAX_TOKENS, Options, Table

How = Literal["won", "resigned", "closed"]
ENDS: Final[tuple[How, ...]] = ("won", "resigned", "closed")
_LONGEST_WORD: Final = 32


def _whole(number: object, what: str) -> int:
    if type(number) is not int or not 0 <= number < MAX_MS:
        raise RecordError(f"{what} is a whole number of milliseconds, not {quoted(number)}")
    return number


@dataclass(frozen=True, slots=True)
class End:
    """The end of a game and its time: `ms` is milliseconds since the table was dealt.

    :raises RecordError: for an unknown ending or a time that is not a whole number of milliseconds.
    """

    how: How
    ms: int

    def __post_init__(self) -> None:
        if self.how not in ENDS:
            raise RecordError(f"a game ends {', '.join(ENDS)}; not {quoted(self.how)}")
        _whole(self.ms, "the end's time")


@dataclass(frozen=True, slots=True)
class Record:
    """One finished game.

    `name` is a catalogue variant if `options` is None, otherwise a game. `seed` is 32 bytes. `clock` holds one time for
    each token: milliseconds since the table was dealt, by the server's clock, never decreasing. Only the form is
    checked here; `replay` checks whether the tokens are legal.

    :raises RecordError: for a bad seed, token list, clock or end, or an unknown name, option or version.
    """

    version: int
    name: str
    options: Options | None
    seed: bytes
    tokens: tuple[str, ...]
    clock: tuple[int, ...]
    end: End

    def __post_init__(self) -> None:
        try:
            options = self.game.checked_options(self.options)
            seed = check_seed(self.seed)
        except RulesError as error:
            raise RecordError(str(error)) from None
        object.__setattr__(self, "options", None if self.options is None else options)
        object.__setattr__(self, "seed", seed)
        object.__setattr__(self, "tokens", _checked_tokens(self.tokens))
        object.__setattr__(self, "clock", _checked_clock(self.clock, len(self.tokens)))
        if not isinstance(self.end, End):
            raise RecordError("a record has an end")
        if self.clock and self.end.ms < self.clock[-1]:
            raise RecordError("the end is earlier than the last token")

    @property
    def game(self) -> type[Table]:
        """The game class under the record's rules version."""
        return resolve(self.name, self.options, version=self.version)[0]

    def open_table(self) -> Table:
        """Deal the record's table, before the first token."""
        return open_table(self.name, self.seed, self.options, version=self.version)

    def to_json(self) -> dict[str, Any]:
        """Return the record as a dict of JSON types (docs/records.md, "JSON")."""
        what: dict[str, Any] = (
            {"variant": self.name} if self.options is None else {"game": self.name, "options": dict(self.options)}
        )
        return {
            "rules": self.version,
            **what,
            "seed": self.seed.hex(),
            "tokens": list(self.tokens),
            "clock": list(self.clock),
            "end": asdict(self.end),
        }

    @classmethod
    def from_json(cls, data: object) -> Self:
        """Parse the output of `to_json`.

        :raises RecordError: for anything else, unknown keys included.
        """
        if not isinstance(data, Mapping):
            raise RecordError("a record is an object")
        named = "variant" if "variant" in data else "game"
        keys = {"rules", "seed", "tokens", "clock", "end", named} | ({"options"} if named == "game" else set())
        check_keys(data, keys, "a record")
        end = check_keys(data["end"], {"how", "ms"}, "an end")
        options = data["options"] if named == "game" else None
        if named == "game" and not isinstance(options, Mapping):
            raise RecordError("options are names with values")
        try:
            seed = read_seed(data["seed"])
        except RulesError as error:
            raise RecordError(str(error)) from None
        return cls(
            version=data["rules"],
            name=data[named],
            options=cast("Options | None", options),
            seed=seed,
            tokens=data["tokens"],
            clock=data["clock"],
            end=End(end["how"], end["ms"]),
        )

    def to_bytes(self) -> bytes:
        """Encode the record for storage (docs/records.md, "Binary form"). `from_bytes` returns an equal record.

        :raises InvalidTokenError: when a token is not one of the game's.
        """
        game, options = self.game, self.options
        choices = None
        if options is not None:
            choices = bytes(option.choices.index(options[option.name]) for option in game.OPTIONS)
        return pack(
            Packed(
                version=self.version,
                name=self.name,
                choices=choices,
                seed=self.seed,
                tokens=[game.VOCABULARY.number(token) for token in self.tokens],
                clock=list(self.clock),
                how=ENDS.index(self.end.how),
                end_ms=self.end.ms,
            )
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Decode the output of `to_bytes`.

        :raises RecordError: for anything else.
        """
        packed = unpack(data, most_tokens=MAX_TOKENS)
        try:
            game, options = _named_game(packed)
            tokens = tuple(map(game.VOCABULARY.token, packed.tokens))
        except (OptionError, InvalidTokenError) as error:
            raise RecordError(str(error)) from None
        end = End(ENDS[packed.how], packed.end_ms)
        return cls(packed.version, packed.name, options, packed.seed, tokens, tuple(packed.clock), end)


def _named_game(packed: Packed) -> tuple[type[Table], Options | None]:
    """Return a packed record's game, and its options unless it names a variant."""
    if packed.choices is None:
        return resolve(packed.name, version=packed.version)[0], None
    game, _ = resolve(packed.name, {}, version=packed.version)
    if len(packed.choices) != len(game.OPTIONS):
        raise RecordError(f"the packed record has {len(packed.choices)} options, {game.GAME} {len(game.OPTIONS)}")
    options: Options = {}
    for option, choice in zip(game.OPTIONS, packed.choices, strict=True):
        if choice >= len(option.choices):
            raise RecordError(f"the packed record has no such choice for {option.name}: {choice}")
        options[option.name] = option.choices[choice]
    return game, options


def check_keys(
    data: object, keys: AbstractSet[str], what: str, error: type[RulesError] = RecordError
) -> Mapping[str, Any]:
    """Return a JSON object that has exactly these keys; ``what`` names it in messages.

    :raises RulesError: of the given type, when it is not an object, lacks a key, or has another.
    """
    if not isinstance(data, Mapping):
        raise error(f"{what} is an object")
    for key in sorted(keys - data.keys()):
        raise error(f"{what} has {key!r}")
    for key in data.keys() - keys:
        raise error(f"{what} has no {quoted(key)}")
    return data


def _checked_tokens(tokens: object) -> tuple[str, ...]:
    if isinstance(tokens, str) or not isinstance(tokens, Sequence):
        raise RecordError("tokens are a list")
    if len(tokens) > MAX_TOKENS:
        raise RecordError(f"a record holds at most {MAX_TOKENS:,} tokens, not {len(tokens):,}")
    for index, token in enumerate(tokens):
        if type(token) is not str or len(token) > _LONGEST_WORD or not (token.isascii() and token.isprintable()):
            raise RecordError(f"token {index} is not a short word of plain characters")
    return tuple(tokens)


def _checked_clock(clock: object, tokens: int) -> tuple[int, ...]:
    if isinstance(clock, str | bytes) or not isinstance(clock, Sequence):
        raise RecordError("the clock is a list")
    if len(clock) != tokens:
        raise RecordError(f"the clock has {len(clock)} times for {tokens} tokens")
    before = 0
    for index, ms in enumerate(clock):
        if type(ms) is not int or not before <= ms < MAX_MS:
            _whole(ms, f"time {index}")
            raise RecordError(f"time {index} goes back, from {before} to {ms} ms")
        before = ms
    return tuple(clock)
