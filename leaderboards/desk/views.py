"""Views of the desk; `leaderboards.admin` adds their URLs to the admin."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from games.attempts.lifecycle import record_of
from games.core.errors import ErrorCode, Refusal
from games.fairplay.alignment import align
from games.models import Attempt, Decision, StaffNote
from games.presentation.view_models import ShownDeal, ShownPlayer
from games.replays.steps import steps_of
from leaderboards.desk import access, view_models
from leaderboards.desk.review_queue import queue
from leaderboards.desk.top_places import noted_places
from leaderboards.verdicts import decisions

#: Maximum number of attempts in a joint decision, and of attempts chosen individually, which are all in the URL.
MOST: Final = 500
MOST_CHOSEN: Final = 200
_LONGEST_TEXT: Final = 4_000
_CHOICES: Final = [(state.value, state.label) for state in decisions.DECIDABLE]


class DecisionForm(forms.Form):
    """Form for a decision and its reason."""

    state = forms.ChoiceField(choices=_CHOICES)
    why = forms.CharField(max_length=_LONGEST_TEXT)


class UndoForm(forms.Form):
    """Form that undoes a decision, alone or with its batch."""

    decision = forms.IntegerField(min_value=1, max_value=2**63 - 1)
    together = forms.BooleanField(required=False)
    why = forms.CharField(max_length=_LONGEST_TEXT, required=False)


class NoteForm(forms.Form):
    """Form for a note."""

    text = forms.CharField(max_length=_LONGEST_TEXT)


@require_safe
@never_cache
def queue_page(request: HttpRequest) -> HttpResponse:
    """Show the attempts under review, most urgent first, and verified top places with evidence."""
    access.staff_of(request)
    return _page(request, "queue", _("Attempts under review"), {"queue": queue(), "noted": noted_places()})


@require_safe
@never_cache
def attempt_page(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Show the evidence about one attempt, with staff notes and decisions."""
    staff = access.staff_of(request)
    rights = [access.DECIDE] if request.user.has_perm(access.DECIDE) else []
    shown = view_models.desk(_judged(attempt), staff.pk, rights)
    deal = shown.facts.deal
    title = f"{shown.facts.attempt.player}, {deal.title} {deal.day or ''}".strip()
    return _page(request, "attempt", title, {"desk": shown, "choices": _CHOICES})


@require_safe
@never_cache
def lines_page(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Show the attempt's line next to another one at the deal, `?beside=<attempt>`."""
    staff, left = access.staff_of(request), _judged(attempt)
    right = _judged(_uuid(request.GET.get("beside", "")))
    records = view_models.readable(left), view_models.readable(right)
    if left.deal_id != right.deal_id or records[0] is None or records[1] is None:
        raise Http404
    access.watch(staff.pk, left)
    context = {"left": left, "right": right, "lines": align(records[0], records[1])}
    return _page(request, "lines", _("Two lines"), context)


@require_safe
@never_cache
def replay_page(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Show the game step by step, even while its deal is open."""
    staff, found = access.staff_of(request), _watchable(attempt)
    access.watch(staff.pk, found)
    context = {
        "deal": ShownDeal.of(found.deal),
        "player": ShownPlayer.of(found.player),
        "steps_url": reverse("admin:desk_steps", args=[attempt]),
        "attempt": attempt,
    }
    return render(request, "games/replay.html", context)


@require_safe
@never_cache
def steps(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Return the steps of the replay as JSON."""
    staff, found = access.staff_of(request), _watchable(attempt)
    access.watch(staff.pk, found)
    return JsonResponse(steps_of(record_of(found)))


@require_POST
def decide(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Verify or reject the attempt."""
    staff, found = access.staff_of(request, access.DECIDE), _judged(attempt)
    form = DecisionForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Say what you decide, and why."))
    else:
        state = Attempt.State(form.cleaned_data["state"])
        _report_outcome(
            request, lambda: decisions.decide(found.pk, state, staff, form.cleaned_data["why"]), _("Decided.")
        )
    return redirect("admin:desk_attempt", attempt)


@require_POST
def undo(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Undo a decision about the attempt, or its whole batch."""
    staff, found = access.staff_of(request, access.DECIDE), _judged(attempt)
    form = UndoForm(request.POST)
    if not form.is_valid():
        raise Http404
    decision = get_object_or_404(Decision, pk=form.cleaned_data["decision"], attempt=found)
    why = form.cleaned_data["why"]
    if form.cleaned_data["together"] and decision.batch is not None:
        _report_batch(request, decisions.undo_all(decision.batch, staff, why))
    else:
        _report_outcome(request, lambda: decisions.undo(decision, staff, why), _("Undone."))
    return redirect("admin:desk_attempt", attempt)


@require_POST
def note(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Add a note about the attempt."""
    staff, found = access.staff_of(request, access.DECIDE), _judged(attempt)
    form = NoteForm(request.POST)
    if found.player_id == staff.pk:
        raise PermissionDenied
    if not form.is_valid():
        messages.error(request, _("Write a note first."))
    else:
        StaffNote.objects.create(attempt=found, text=form.cleaned_data["text"], by_id=staff.pk, made_at=timezone.now())
    return redirect("admin:desk_attempt", attempt)


@never_cache
def together_page(request: HttpRequest) -> HttpResponse:
    """Make one decision about attempts, `?attempt=…&attempt=…`, or all that count of players, `?player=…&player=…`."""
    staff = access.staff_of(request, access.DECIDE)
    parameters = request.POST if request.method == "POST" else request.GET
    chosen = {name: [_uuid(text) for text in parameters.getlist(name)[:MOST]] for name in ("player", "attempt")}
    found = view_models.counted(chosen["player"], chosen["attempt"])
    if not found:
        raise Http404
    if len(found) > MOST:
        raise Refusal(ErrorCode.BAD_REQUEST)
    if request.method == "POST":
        form = DecisionForm(request.POST)
        if form.is_valid():
            state = Attempt.State(form.cleaned_data["state"])
            done = decisions.decide_all([attempt.pk for attempt in found], state, staff, form.cleaned_data["why"])
            _report_batch(request, done)
            return redirect("admin:desk_attempt", found[0].public_id)
        messages.error(request, _("Say what you decide, and why."))
    context = {
        "together": view_models.attempt_group(found),
        "choices": _CHOICES,
        "chosen": chosen,
        "state": request.GET.get("state", ""),
    }
    return _page(request, "together", _("Decide together"), context)


def together_url(state: str = "", *, players: Iterable[uuid.UUID] = (), attempts: Iterable[uuid.UUID] = ()) -> str:
    """Return the URL for a joint decision about these attempts, or all of these players."""
    parameters = [f"player={public_id}" for public_id in players] + [f"attempt={public_id}" for public_id in attempts]
    return reverse("admin:desk_together") + "?" + "&".join([*parameters, f"state={state}"])


def addresses(site: admin.AdminSite) -> list[URLPattern]:
    """Return the desk's URL patterns, for the admin of attempts."""
    of_attempt = "desk/<uuid:attempt>/"
    views: Mapping[str, tuple[str, Callable[..., HttpResponse]]] = {
        "queue": ("queue/", queue_page),
        "together": ("together/", together_page),
        "attempt": (of_attempt, attempt_page),
        "decide": (f"{of_attempt}decide/", decide),
        "undo": (f"{of_attempt}undo/", undo),
        "note": (f"{of_attempt}note/", note),
        "lines": (f"{of_attempt}lines/", lines_page),
        "replay": (f"{of_attempt}replay/", replay_page),
        "steps": (f"{of_attempt}steps.json", steps),
    }
    return [path(where, site.admin_view(view), name=f"desk_{name}") for name, (where, view) in views.items()]


def _page(request: HttpRequest, name: str, title: str, context: dict[str, Any]) -> HttpResponse:
    shown = {**admin.site.each_context(request), "title": title, **context}
    return render(request, f"admin/desk/{name}.html", shown)


def _judged(public_id: uuid.UUID) -> Attempt:
    """Return an attempt that has been judged.

    :raises Http404: if there is none.
    """
    attempts = Attempt.objects.select_related("deal", "player").filter(state__in=decisions.JUDGED)
    return get_object_or_404(attempts, public_id=public_id)


def _watchable(public_id: uuid.UUID) -> Attempt:
    """Return an attempt that has been judged and whose record replays.

    :raises Http404: if there is none.
    """
    found = _judged(public_id)
    if view_models.readable(found) is None:
        raise Http404
    return found


def _uuid(text: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError:
        raise Http404 from None


def _report_outcome(request: HttpRequest, act: Callable[[], object], done: str) -> None:
    """Run an action, and report success or the reason for a refusal as a message."""
    try:
        act()
    except decisions.NotDecidableError as refusal:
        messages.error(request, str(refusal.sentence))
    else:
        messages.success(request, done)


def _report_batch(request: HttpRequest, done: decisions.BatchOutcome) -> None:
    text = ngettext("%(count)d attempt decided.", "%(count)d attempts decided.", done.decided)
    messages.success(request, text % {"count": done.decided})
    for public_id, refusal in done.refused:
        messages.error(request, f"{public_id}: {refusal.sentence}")
