"""API endpoints for puzzles and the player's own tries; `config.api` combines them with the others.

The winning line and the proofs of the losses stay hidden: a reply has only what the player's own move has shown.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Final, Literal, Self

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Field, Query, Router, Schema
from ninja.utils import check_csrf

from games.api.common import ERRORS, Day, ErrorOut
from games.core.errors import ErrorCode, Refusal
from games.db.players import has_account, player_for, player_id
from games.puzzles import daily, tries
from games.puzzles.models import DailyPuzzle, PuzzleTry, PuzzleVote, StoredPuzzle
from games.puzzles.move_check import position_at
from games.puzzles.puzzle import Puzzle
from games.puzzles.ratings import rated_tries
from games.puzzles.selection import next_puzzle, numbered
from games.puzzles.themes import Theme
from games.puzzles.votes import cast_vote
from games.rules import CATALOGUE

PAGE_SIZE: Final = 50
MAX_LISTED: Final = 100

router = Router(tags=["puzzles"])


class PuzzleStepOut(Schema):
    """A position: all of its cards, and the legal moves.

    `face_down` names the cards that lie face down. `hidden` lists the cards of stock, waste and reserve that `view`
    leaves out, from the top. `token` is the move that led here.
    """

    token: str | None
    view: dict[str, Any]
    legal: list[str]
    face_down: list[str]
    hidden: dict[str, list[str]]


class PuzzleProgressOut(Schema):
    """The state of a try: the turns found so far, and the wrong moves. `tries_left` is null without a limit.

    `rating_change` is by how many points the try changed your rating; null if it is not rated, or not yet. `late` says
    that you solved the puzzle of a day after it, so it counts for no streak. `review` says that you had missed the
    puzzle, and the first wrong move ends this try, which is not rated.
    """

    turn: int
    mistakes: int
    tries_left: int | None
    solved: bool
    failed: bool
    rating_change: int | None
    late: bool
    review: bool


class PuzzleRatingsOut(Schema):
    """Your own rating, null for guests and visitors, and the puzzle's, null until you have solved it or gone wrong.

    `provisional` says that your rating is still uncertain. If you saw the puzzle in a storm, race or streak, `seen_in`
    says so, and your try is not rated.
    """

    own: int | None
    provisional: bool
    puzzle: int | None
    seen_in: Literal["storm", "race", "streak"] | None

    @classmethod
    def of(cls, request: HttpRequest, stored: StoredPuzzle, tried: tries.OpenedPuzzle | tries.Reply) -> Self:
        """Return the JSON form of the ratings to show to a player or visitor."""
        account = player_id(request) if has_account(request) else None
        return cls(**rated_tries.shown_ratings(account, stored, tried.seen, is_decided=tried.progress.is_decided))


class PuzzleOut(Schema):
    """A puzzle: its number of turns, your progress and the position in which you are to move, and the ratings.

    `asks` says which move is right: the only one that wins, or the only one with a card that loses.
    `themes` is null until your try is over.
    """

    number: int
    variant: str
    asks: Literal["win", "loss"]
    turns: int
    themes: list[Theme] | None
    progress: PuzzleProgressOut
    rating: PuzzleRatingsOut
    position: PuzzleStepOut

    @classmethod
    def of(cls, stored: StoredPuzzle, request: HttpRequest, **others: object) -> Self:
        """Return the JSON form of a puzzle for a player or visitor."""
        opened = tries.open_puzzle(player_id(request), stored, timezone.now())
        progress = opened.progress
        puzzle = Puzzle.from_json(stored.contents)
        return cls(
            number=stored.pk,
            variant=stored.variant,
            asks=puzzle.asks,
            turns=stored.turns,
            themes=_themes(stored) if progress.is_over else None,
            progress=PuzzleProgressOut.from_orm(progress),
            rating=PuzzleRatingsOut.of(request, stored, opened),
            position=PuzzleStepOut(**position_at(puzzle, progress.turn)),
            **others,
        )


class DailyPuzzleOut(PuzzleOut):
    """The puzzle of a day."""

    day: date


class PuzzleLossOut(Schema):
    """Why a move loses: the most cards that can still go up, and the last card of each foundation that stays short."""

    most_up: int
    goal: int
    ends: list[str]


class PuzzleTriedLossOut(Schema):
    """Best of the simulated games from a lost position: its cards up, and cards that it lacked."""

    best_up: int
    games: int
    goal: int
    lacks: list[str]


class PuzzleWonOut(Schema):
    """A move that wins at a puzzle that asks for the loss, in this number of moves."""

    goal: int
    moves: int


class PuzzleReplyOut(Schema):
    """The reply to a move. After a right one, `steps` has it and the forced moves that follow it.

    After a wrong one, `loss` says why it loses; null until that is found, a second or so after the first player made
    the move: repeat it, with `mistakes`, to ask again. `themes` is null until the try is over.
    """

    right: bool
    progress: PuzzleProgressOut
    rating: PuzzleRatingsOut
    steps: list[PuzzleStepOut]
    loss: PuzzleLossOut | PuzzleTriedLossOut | PuzzleWonOut | None
    themes: list[Theme] | None


class PuzzleVoteBody(Schema):
    """A vote on a puzzle: `good`, `bad`, or `wrong` if it has a mistake."""

    vote: PuzzleVote.Vote


class PuzzleTryOut(Schema):
    """A try at a puzzle. `day` is set if it began on the day whose puzzle this was.

    `rating_before` and `rating_after` are yours; null if the try is not rated, or not yet.
    """

    number: int
    variant: str
    turns: int
    day: date | None
    turn: int
    mistakes: int
    begun_at: datetime
    solved_at: datetime | None
    failed_at: datetime | None
    rating_before: float | None
    rating_after: float | None

    @classmethod
    def of(cls, row: PuzzleTry) -> Self:
        """Return the JSON form of a try."""
        return cls(
            **vars(row),
            number=row.puzzle_id,
            variant=row.puzzle.variant,
            turns=row.puzzle.turns,
            rating_before=row.mu_before,
            rating_after=row.mu_after,
        )


class PuzzleTriesOut(Schema):
    """A page of tries. `cursor` requests the next page and is null on the last one."""

    tries: list[PuzzleTryOut]
    cursor: int | None


class DailyPuzzleIn(Schema):
    """Choice of a day, by default today."""

    day: Day | None = None


class NextPuzzleIn(Schema):
    """Choice of a variant and a theme, by default any."""

    variant: str | None = None
    theme: Theme | None = None


class PuzzleMoveIn(Schema):
    """A move: the turn, counted from 0, and the token.

    With `mistakes`, the number of wrong moves before it, you may repeat your last move until the reply arrives.
    """

    turn: int = Field(ge=0)
    mistakes: int | None = Field(None, ge=0)
    token: str = Field(max_length=20)


class PuzzleTriesIn(Schema):
    """Pagination: omit `cursor` for the first page; pass a page's `cursor` to get the next one."""

    cursor: int | None = Field(None, ge=1, lt=2**31)
    limit: int = Field(PAGE_SIZE, ge=1, le=MAX_LISTED)


@router.get("/puzzles/daily", response={200: DailyPuzzleOut, **ERRORS})
def get_daily_puzzle(request: HttpRequest, query: Query[DailyPuzzleIn]) -> DailyPuzzleOut:
    """Return the puzzle of today or a past day."""
    today = timezone.now().date()
    day = query.day or today
    if day > today:
        raise Refusal(ErrorCode.BAD_DAYS, "The puzzle of this day is not known yet.")
    if day < today:
        found = get_object_or_404(DailyPuzzle.objects.select_related("puzzle"), day=day)
        return DailyPuzzleOut.of(found.puzzle, request, day=day)
    try:
        return DailyPuzzleOut.of(daily.puzzle_of(day), request, day=day)
    except StoredPuzzle.DoesNotExist:
        raise Refusal(ErrorCode.NO_PUZZLES) from None


@router.get("/puzzles/next", response={200: PuzzleOut, **ERRORS})
def get_next_puzzle(request: HttpRequest, query: Query[NextPuzzleIn]) -> PuzzleOut:
    """Return a random puzzle near your rating that you have not tried, other than today's; first those not seen."""
    if query.variant is not None and query.variant not in CATALOGUE:
        raise Refusal(ErrorCode.NOT_FOUND, "There is no such variant.")
    found = next_puzzle(player_id(request), query.variant, query.theme)
    if found is None:
        raise Refusal(ErrorCode.NOT_FOUND, "There is no puzzle that you have not tried.")
    return PuzzleOut.of(found, request)


@router.get("/puzzles/tries", response={200: PuzzleTriesOut, **ERRORS})
def list_puzzle_tries(request: HttpRequest, query: Query[PuzzleTriesIn]) -> PuzzleTriesOut:
    """List your own tries at puzzles, newest first. You must be signed in; being a guest is enough."""
    own = PuzzleTry.objects.filter(player=_me(request)).select_related("puzzle").order_by("-pk")
    found = own
    if query.cursor is not None:
        last = own.filter(pk=query.cursor).first()
        if last is None:
            raise Refusal(ErrorCode.BAD_CURSOR, "This cursor is invalid.")
        found = own.filter(pk__lt=last.pk)
    rows = list(found[: query.limit + 1])
    shown = [PuzzleTryOut.of(row) for row in rows[: query.limit]]
    return PuzzleTriesOut(tries=shown, cursor=rows[len(shown) - 1].pk if len(rows) > len(shown) else None)


@router.get("/puzzles/{int:number}", response={200: PuzzleOut, **ERRORS})
def get_puzzle(request: HttpRequest, number: int) -> PuzzleOut:
    """Return one puzzle."""
    return PuzzleOut.of(numbered(number), request)


@router.post("/puzzles/{int:number}/moves", response={200: PuzzleReplyOut, 409: ErrorOut, **ERRORS})
def play_puzzle_move(request: HttpRequest, number: int, move: PuzzleMoveIn) -> PuzzleReplyOut:
    """Check a move, and store your progress. You must be signed in; being a guest is enough.

    Send the CSRF cookie's value in the header `X-CSRFToken`.
    """
    me = _sender(request)
    stored = numbered(number)
    reply = tries.play(me, stored, move.turn, move.token, timezone.now(), mistakes=move.mistakes)
    player_for(request)  # renews the session; after the move, because a guest who signs in elsewhere loses it
    return PuzzleReplyOut(
        right=reply.loss is None,
        progress=PuzzleProgressOut.from_orm(reply.progress),
        rating=PuzzleRatingsOut.of(request, stored, reply),
        steps=[PuzzleStepOut(**step) for step in reply.steps],
        loss=_loss(reply.loss),
        themes=_themes(stored) if reply.progress.is_over else None,
    )


@router.post("/puzzles/{int:number}/vote", response={200: PuzzleVoteBody, **ERRORS})
def vote_on_puzzle(request: HttpRequest, number: int, cast: PuzzleVoteBody) -> PuzzleVoteBody:
    """Vote on a puzzle once your try is over, in place of an earlier vote. You need an account.

    Send the CSRF cookie's value in the header `X-CSRFToken`.
    """
    _sender(request)
    cast_vote(player_for(request), numbered(number), cast.vote)
    return PuzzleVoteBody(vote=cast.vote)


def _loss(loss: dict[str, Any] | None) -> PuzzleLossOut | PuzzleTriedLossOut | PuzzleWonOut | None:
    if not loss:
        return None
    if "moves" in loss:
        return PuzzleWonOut(**loss)
    return PuzzleLossOut(**loss) if "ends" in loss else PuzzleTriedLossOut(**loss)


def _themes(stored: StoredPuzzle) -> list[Theme]:
    found = set(stored.themes.values_list("theme", flat=True))
    return [theme for theme in Theme if theme in found]


def _me(request: HttpRequest) -> int:
    """Return the player.

    :raises Refusal: for a visitor.
    """
    me = player_id(request)
    if me is None:
        raise Refusal(ErrorCode.NOT_SIGNED_IN, "Sign in or play a game first.")
    return me


def _sender(request: HttpRequest) -> int:
    """Return the player who sends a move or vote.

    :raises Refusal: for a visitor, or without the CSRF cookie's value.
    """
    me = _me(request)
    if check_csrf(request) is not None:
        raise Refusal(ErrorCode.CSRF_FAILED)
    return me
