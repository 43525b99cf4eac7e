"""Error codes and the exception behind every error that a client sees; `docs/errors.md` explains the codes.

Code raises `Refusal` wherever it refuses a request. The outermost layer turns it into a response:
`config.http.error_pages` renders a page or the common JSON shape, `config.api` does the same for the API, and the
game's WebSocket sends an `error` frame.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar, cast

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from games.rules import RulesError

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

A_MINUTE: Final = 60

AnyView = TypeVar("AnyView", bound=Callable[..., Any])


NETWORK_IS_BUSY: Final = _("Too many players on your network right now.")
_NOT_UNDERSTOOD: Final = _("Invalid request.")
_NOT_ALLOWED: Final = _("You can't do this.")
_NOTHING_HERE: Final = _("Nothing found at this address.")
_SIGN_IN: Final = _("Please sign in again.")
_OUR_FAULT: Final = _("Something went wrong on our side. We'll look into it.")


class ErrorCode(StrEnum):
    """Error code for programs, with its HTTP status and its sentence for people."""

    status: int
    sentence: StrPromise

    def __new__(cls, code: str, status: int, sentence: StrPromise) -> Self:
        """Create a member, which compares equal to its code."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.status = status
        member.sentence = sentence
        return member

    @classmethod
    def of(cls, code: str) -> Self:
        """Return the member with this code.

        :raises KeyError: for an unknown code.
        """
        return cls[code.upper()]

    # The request.
    BAD_REQUEST = "bad_request", 400, _NOT_UNDERSTOOD
    BAD_PARAMETERS = "bad_parameters", 422, _NOT_UNDERSTOOD
    BAD_JSON = "bad_json", 400, _("This is not JSON.")
    BAD_CURSOR = "bad_cursor", 400, _NOT_UNDERSTOOD
    BAD_DAYS = "bad_days", 400, _NOT_UNDERSTOOD
    NOT_FOUND = "not_found", 404, _NOTHING_HERE
    METHOD_NOT_ALLOWED = "method_not_allowed", 405, _("This address doesn't accept that method.")
    TOO_LARGE = "too_large", 413, _NOT_UNDERSTOOD
    RATE_LIMITED = "rate_limited", 429, _("Too many requests.")

    # The requester.
    FORBIDDEN = "forbidden", 403, _NOT_ALLOWED
    CSRF_FAILED = "csrf_failed", 403, _("This form has expired. Go back, reload the page and try again.")
    SESSION_EXPIRED = "session_expired", 401, _SIGN_IN
    NOT_SIGNED_IN = "not_signed_in", 401, _SIGN_IN
    ACCOUNT_REQUIRED = "account_required", 403, _("You need an account for this.")
    NOT_YOURS = "not_yours", 403, _NOT_ALLOWED

    # Deals, hints and verdicts.
    DEAL_AWAITED = "deal_awaited", 503, _("This deal is being prepared.")
    DEAL_CLOSED = "deal_closed", 409, _("That game has closed. Here is the new one.")
    NOT_REVEALED = "not_revealed", 403, _NOT_ALLOWED
    NO_HINTS = "no_hints", 403, _NOT_ALLOWED
    NOT_DECIDABLE = "not_decidable", 409, _NOT_ALLOWED

    # Races.
    ROOM_FULL = "room_full", 409, _("This room is full.")
    ROOM_CLOSED = "room_closed", 410, _("This room is closed.")
    RACE_STARTED = "race_started", 409, _("This race has started. You can watch it and join the next one.")
    RACE_OVER = "race_over", 409, _("This race is over.")
    RACE_NOT_OPEN = "race_not_open", 409, _("You can't change this now.")
    KICKED = "kicked", 403, _("The host removed you from this room.")
    NOT_HOST = "not_host", 403, _("Only the host can do this.")
    NOT_ENTERED = "not_entered", 409, _("You're not in this race.")
    ALREADY_RACING = "already_racing", 409, _("You're in another race. Finish or leave it first.")
    TOO_MANY_ROOMS = "too_many_rooms", 409, _("Too many public rooms open. Close one first, or open a private one.")
    TOO_FEW_PRESENT = "too_few_present", 409, _("At least two players must be here.")
    NO_DEAL = "no_deal", 503, _("The cards are still being prepared.")
    BAD_WEBHOOK = "bad_webhook", 422, _("This is not the URL of a webhook.")
    NOT_BEGUN = "not_begun", 409, _("The race hasn't started.")
    NO_CHALLENGE = "no_challenge", 409, _("You can't use this game for a challenge yet.")

    # Appeals and reports.
    NO_APPEAL = "no_appeal", 409, _("You can't appeal here right now.")
    ALREADY_APPEALED = "already_appealed", 409, _("You have already appealed.")
    NO_REPORT = "no_report", 409, _("You can't report this game.")
    ALREADY_REPORTED = "already_reported", 409, _("You have already reported this game.")
    BAD_TEXT = "bad_text", 422, _("This text is too short or too long.")

    # Puzzles.
    NO_PUZZLES = "no_puzzles", 503, _("There are no puzzles here yet. More are made every night.")

    # Analyses.
    TOO_MANY_ANALYSES = (
        "too_many_analyses",
        409,
        _("We're still analysing other games for you. Please wait for those first."),
    )

    # The game's WebSocket.
    BAD_FRAME = "bad_frame", 400, _NOT_UNDERSTOOD
    UNKNOWN_TYPE = "unknown_type", 400, _NOT_UNDERSTOOD
    UNSUPPORTED_VERSION = "unsupported_version", 400, _NOT_UNDERSTOOD
    STALE = "stale", 409, _NOT_ALLOWED
    CLOSED = "closed", 409, _NOT_ALLOWED
    PAUSED = "paused", 409, _("This game is paused.")
    NO_PAUSE = "no_pause", 409, _("Only practice games can be paused.")
    CARD_REVEALED = "card_revealed", 409, _("Your last move turned up a card. You can't undo that in this race.")

    # The rules (`games.rules.errors`).
    BAD_RECORD = "bad_record", 422, _("The record doesn't have the documented form.")
    BAD_RACE = "bad_race", 422, _NOT_UNDERSTOOD
    BAD_OPTION = "bad_option", 422, _("The record names a game or option that doesn't exist.")
    BAD_SEED = "bad_seed", 422, _("The record's seed is not valid.")
    BAD_DECK = "bad_deck", 422, _("The record's cards are not those of the game.")
    BAD_POSITION = "bad_position", 400, _NOT_UNDERSTOOD
    INVALID_TOKEN = "invalid_token", 422, _("This is not a move in this game.")
    ILLEGAL_MOVE = "illegal_move", 422, _("The rules do not allow this move.")
    RECORD_FULL = "record_full", 422, _("The record has too many moves.")
    CONTRADICTED_END = "contradicted_end", 422, _("The game didn't end as the record says.")
    RULES_ERROR = "rules_error", 422, _NOT_UNDERSTOOD

    # The service.
    SERVER_ERROR = "server_error", 500, _OUR_FAULT
    SERVER_BUSY = "server_busy", 503, _OUR_FAULT
    SERVER_FULL = "server_full", 503, _("Talon is very busy right now. Try again in a few seconds.")
    DATABASE_AWAY = "database_away", 503, _("Our server is having trouble. Try again in a moment.")
    NOT_READY = "not_ready", 503, _OUR_FAULT
    MISDIRECTED = "misdirected", 421, _NOTHING_HERE


class Refusal(Exception):
    """A refused request, with its error code.

    A translatable `message` is shown to people and programs alike. An untranslated one is for programs only: people
    see the code's sentence instead. Without a message both get the sentence. `data` is sent with code and message.
    """

    def __init__(self, code: ErrorCode, message: str | StrPromise = "", /, **data: Any) -> None:  # noqa: ANN401
        self.code = code
        self.data = data
        self._message = message
        super().__init__(code, message)

    def __str__(self) -> str:
        return self.message

    @property
    def message(self) -> str:
        """The message for programs, in the active language, which is English for them."""
        return str(self._message or self.sentence)

    @property
    def sentence(self) -> str | StrPromise:
        """The message for people, in their language."""
        return self._message if isinstance(self._message, Promise) else self.code.sentence

    def to_json(self) -> dict[str, Any]:
        """Return the error in the common JSON shape."""
        return {"error": {"code": self.code, "message": self.message, "data": self.data}}


def time_left(seconds: float) -> str:
    """Return a time to wait as a text."""
    minutes = round(seconds / A_MINUTE)
    if not minutes:
        return gettext("Less than a minute left.")
    text = ngettext("About %(minutes)d minute left.", "About %(minutes)d minutes left.", minutes)
    return text % {"minutes": minutes}


class RateLimitedError(Refusal):
    """A rate limit was exceeded; `retry_after` is the number of seconds until the next request is allowed.

    Only the limit of a network adds `network` to the data.
    """

    def __init__(self, retry_after: int, *, of_network: bool = False) -> None:
        data = {"network": True} if of_network else {}
        super().__init__(ErrorCode.RATE_LIMITED, retry_after=retry_after, **data)

    @property
    def sentence(self) -> str | StrPromise:
        """The message for people, with the time to wait."""
        reason = NETWORK_IS_BUSY if "network" in self.data else self.code.sentence
        return f"{reason} {time_left(self.data['retry_after'])}"


def refusal_of(error: RulesError, **data: Any) -> Refusal:  # noqa: ANN401
    """Convert an error of the rules to a `Refusal`."""
    return Refusal(ErrorCode.of(error.code), str(error), **data)


def json_only(view: AnyView) -> AnyView:
    """Mark a view that only programs call: its errors are JSON, regardless of the Accept header."""

    @wraps(view)
    def marked(request: HttpRequest, /, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        request.json_only = True  # type: ignore[attr-defined]
        return view(request, *args, **kwargs)

    return cast("AnyView", marked)


def wants_json(request: HttpRequest) -> bool:
    """Return True if the client is a program: it calls the API or a `json_only` view, or prefers JSON."""
    if request.path.startswith("/api/") or getattr(request, "json_only", False):
        return True
    return _prefers_json(request.headers.get("Accept", "*/*"))


@lru_cache(maxsize=64)
def _prefers_json(accept: str) -> bool:
    """Return True if an Accept header prefers JSON. Cached: parsing is slow, and browsers send few distinct headers."""
    probe = HttpRequest()
    probe.META["HTTP_ACCEPT"] = accept
    return probe.get_preferred_type(["text/html", "application/json"]) == "application/json"
