"""Wire format of the sockets: decoding, refusals, and the published JSON Schemas."""

from __future__ import annotations

import json
from typing import Any, Final, Generic, TypeVar

import msgspec

from games.core.errors import ErrorCode, Refusal

#: Maximum characters of a client's frame; a longer one is refused and the connection closed.
MAX_FRAME: Final = 4096
_BROKEN: Final = (msgspec.DecodeError, UnicodeEncodeError, RecursionError)

_Message = TypeVar("_Message")
_encoder: Final = msgspec.json.Encoder()


class In(msgspec.Struct, tag_field="type", tag=str.lower, forbid_unknown_fields=True, gc=False):
    """A message from the client, tagged with its lower-case name."""


class Out(msgspec.Struct, tag_field="type", tag=str.lower, gc=False):
    """A message to the client, tagged with its lower-case name."""


class Wire(Generic[_Message]):
    """The messages of a protocol."""

    __slots__ = ("_decode", "_incoming", "_outgoing", "_types", "_version")

    def __init__(self, message_type: Any, version: int, incoming: tuple[type, ...], outgoing: tuple[type, ...]) -> None:  # noqa: ANN401
        self._decode = msgspec.json.Decoder(message_type).decode
        self._version = version
        self._incoming = incoming
        self._outgoing = outgoing
        self._types = frozenset(message.__name__.lower() for message in incoming)

    def parse(self, text: str) -> _Message:
        """Decode a client's frame.

        :raises Refusal: too_large, bad_frame or unknown_type.
        """
        if len(text) > MAX_FRAME:
            raise Refusal(ErrorCode.TOO_LARGE, f"a frame has at most {MAX_FRAME} characters", limit=MAX_FRAME)
        try:
            message: _Message = self._decode(text)
        except _BROKEN as error:
            raise self._refused(text, error) from None
        return message

    def write(self, message: Out) -> str:
        """Encode a message as a frame."""
        return _encoder.encode(message).decode()

    def schemas(self) -> dict[str, Any]:
        """Return the JSON Schemas of all messages by type, under `in` and `out`; shared parts are under `$defs`."""
        both = (*self._incoming, *self._outgoing)
        references, parts = msgspec.json.schema_components(both, ref_template="#/$defs/{name}")
        schema_by_type = dict(zip(both, references, strict=True))

        def of(messages: tuple[type, ...]) -> dict[str, Any]:
            return {message.__name__.lower(): schema_by_type[message] for message in messages}

        return {"version": self._version, "in": of(self._incoming), "out": of(self._outgoing), "$defs": parts}

    def print_schemas(self) -> None:
        """Print the schemas in the published format."""
        print(json.dumps(self.schemas(), indent=1, sort_keys=True))  # noqa: T201

    def _refused(self, text: str, error: Exception) -> Refusal:
        """Return unknown_type for a message of an unknown type, else bad_frame."""
        try:
            raw = msgspec.json.decode(text)
        except _BROKEN:
            return Refusal(ErrorCode.BAD_FRAME, "a frame must be one JSON object")
        kind = raw.get("type") if isinstance(raw, dict) else None
        if isinstance(kind, str) and kind not in self._types:
            return Refusal(ErrorCode.UNKNOWN_TYPE, f"there is no message type {kind[:20]!r}", known=sorted(self._types))
        return Refusal(ErrorCode.BAD_FRAME, str(error)[:200])
