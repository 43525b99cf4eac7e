"""A puzzle's page: its table, the moves of a try, and the whole win afterwards."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from games.core import limits
from games.core.errors import ErrorCode, Refusal, json_only
from games.db.players import check_may_start, has_account, player_for, player_id
from games.deals.difficulty import grade_name
from games.manifests import VARIANTS
from games.pages.puzzles.after_try import after_try
from games.pages.puzzles.own_language import in_own_language
from games.pages.puzzles.sent_move import move_of
from games.presentation import titles
from games.puzzles import daily, puzzle_practice, reviews, tries
from games.puzzles.models import StoredPuzzle
from games.puzzles.move_check import position_at
from games.puzzles.puzzle import Puzzle
from games.puzzles.ratings import rated_tries
from games.puzzles.selection import next_puzzle, numbered
from games.puzzles.themes import Theme
from games.rules import CATALOGUE


@require_safe
@never_cache
@ensure_csrf_cookie
def todays_puzzle(request: HttpRequest) -> HttpResponse:
    """Show the puzzle of the day.

    :raises Refusal: NO_PUZZLES if there is none.
    """
    try:
        return _page(request, daily.puzzle_of(timezone.now().date()))
    except StoredPuzzle.DoesNotExist:
        raise Refusal(ErrorCode.NO_PUZZLES) from None


@require_safe
@never_cache
@ensure_csrf_cookie
def puzzle_of_day(request: HttpRequest, day: date) -> HttpResponse:
    """Show the puzzle of a day, at the address that players share."""
    today = timezone.now().date()
    if day == today:
        return todays_puzzle(request)
    return _page(request, get_object_or_404(StoredPuzzle, days__day=day, days__day__lt=today))


@require_safe
@never_cache
@ensure_csrf_cookie
def puzzle_page(request: HttpRequest, number: int) -> HttpResponse:
    """Show a puzzle."""
    return _page(request, numbered(number))


def _page(request: HttpRequest, stored: StoredPuzzle) -> HttpResponse:
    player, now = player_id(request), timezone.now()
    opened = tries.open_puzzle(player, stored, now)
    progress, day, missed = opened.progress, opened.day, opened.missed
    puzzle = Puzzle.from_json(stored.contents)
    ratings = _ratings(request, stored, opened)
    address = reverse("games:puzzle_of_day", args=[day]) if day else request.path
    context = {
        "number": stored.pk,
        "variant": CATALOGUE[stored.variant],
        "title": titles.VARIANT_TITLES[stored.variant],
        "summary": VARIANTS[stored.variant].summary,
        "day": day,
        "grade": day and grade_name(daily.grade_of(day)),
        "day_number": day and daily.number_of(day),
        "ends_at": day and daily.end_of(day),
        "asks": puzzle.asks,
        "turns": stored.turns,
        "progress": progress,
        "filters": request.GET.urlencode(),
        "is_rated": ratings["own"] is not None,
        "data": {
            "step": position_at(puzzle, progress.turn),
            "asks": puzzle.asks,
            "turns": stored.turns,
            "choices": 1 + len(puzzle.losses[0]),
            "progress": asdict(progress),
            "streak": daily.streak_of(player, now) if player and day else None,
            "after": after_try(request, stored, progress),
            "rating": ratings,
            "missed": missed and {"turn": missed.turn, "token": missed.token},
            "address": settings.PUBLIC_URL + address,
        },
    }
    return render(request, "puzzles/puzzle.html", context)


def _ratings(request: HttpRequest, stored: StoredPuzzle, tried: tries.OpenedPuzzle | tries.Reply) -> dict[str, Any]:
    account = player_id(request) if has_account(request) else None
    return rated_tries.shown_ratings(account, stored, tried.seen, is_decided=tried.progress.is_decided)


@require_POST
@never_cache
@json_only
@in_own_language
def move(request: HttpRequest, number: int) -> HttpResponse:
    """Play a move at a turn after a number of wrong ones: {"turn": 0, "mistakes": 0, "token": "t3-f"}.

    The last move may be repeated. Pages of earlier versions leave `mistakes` out.

    The answer has the try's progress, the ratings to show, the `steps` that follow a right move, and the `loss` after a
    wrong one (`games.puzzles.move_check.Verdict`), which is empty until it is explained. `after` is null until the try
    is over (`games.pages.puzzles.after_try`).
    """
    stored = numbered(number)
    (turn, mistakes), token = move_of(request, "turn", mistakes=-1)
    if request.user.is_authenticated:
        limits.spend(request, "puzzle")
    else:
        check_may_start(request)
    now = timezone.now()
    player = player_for(request).pk
    try:
        reply = tries.play(player, stored, turn, token, now, mistakes=mistakes if mistakes >= 0 else None)
    except Refusal as refusal:
        if refusal.code is ErrorCode.SESSION_EXPIRED:
            request.session.modified = False  # it has no row to write to
        raise
    return JsonResponse(
        {
            "progress": asdict(reply.progress),
            "rating": _ratings(request, stored, reply),
            "steps": reply.steps,
            "loss": reply.loss,
            "streak": daily.streak_of(player, now) if reply.progress.solved else None,
            "after": after_try(request, stored, reply.progress),
        }
    )


@require_safe
@never_cache
@json_only
def win(request: HttpRequest, number: int) -> HttpResponse:
    """Return the steps of the whole win, once the player's try is over."""
    limits.spend(request, "replay")
    stored = numbered(number)
    progress = tries.open_puzzle(player_id(request), stored, timezone.now()).progress
    return JsonResponse({"steps": tries.win_of(Puzzle.from_json(stored.contents), progress)})


@require_POST
def play_on(request: HttpRequest, number: int) -> HttpResponse:
    """Start practice from the puzzle's position, once the player's try is over."""
    stored = numbered(number)
    tries.check_over(tries.open_puzzle(player_id(request), stored, timezone.now()).progress)
    limits.spend(request, "play_on")
    check_may_start(request)
    attempt = puzzle_practice.play_on(player_for(request), stored)
    return redirect("games:table", attempt=attempt.public_id)


@require_safe
@never_cache
def another(request: HttpRequest) -> HttpResponse:
    """Redirect to a puzzle near the player's rating, of one variant and theme if `?variant=` and `?theme=` say so.

    With `?review=1`, redirect to a puzzle that is due for review. The puzzle's address keeps the filter, for the next
    one. If there is none left, say so on the list of puzzles.
    """
    variant, theme = request.GET.get("variant") or None, request.GET.get("theme") or None
    if variant not in (None, *CATALOGUE) or theme not in (None, *Theme):
        raise Http404
    player, review = player_id(request), request.GET.get("review")
    found = reviews.next_due(player) if review else next_puzzle(player, variant, theme and Theme(theme))
    if found is None:
        tried = _("You've tried all of these puzzles. More are made every night.")
        messages.info(request, _("No more puzzles to review today.") if review else tried)
        return redirect("games:past_puzzles")
    address = reverse("games:puzzle", args=[found.pk])
    chosen = {"variant": variant, "theme": theme, "review": review and 1}
    filters = urlencode({name: value for name, value in chosen.items() if value})
    return redirect(f"{address}?{filters}" if filters else address)
