"""Views of the players' pages: profile, following, settings, own data. allauth has the sign-in pages."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from http import HTTPStatus
from uuid import UUID

from django.conf import settings as site
from django.contrib import messages
from django.contrib.auth import logout
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    JsonResponse,
    QueryDict,
    StreamingHttpResponse,
)
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django.views.i18n import set_language

from accounts.access import PlayerRequest, account_required, fresh_sign_in_required, player_required
from accounts.forms import DeleteForm, PreferencesForm, RenameForm
from accounts.lifecycle.erasure import erase_player
from accounts.lifecycle.export import export
from accounts.models import Follow, User
from accounts.names.directory import find_players
from accounts.names.renaming import rename_player
from accounts.preferences import clean_preferences, preferences_of, remember_language, remembered_language
from accounts.profile import calendar_feed, comparison, contents, follows, puzzle_panel
from accounts.profile.player_progress import progress_of
from accounts.profile.year import Year
from accounts.push.views import shown as push_shown
from games.core import limits
from games.core.errors import ErrorCode, Refusal, json_only, wants_json
from games.core.json_body import json_body
from games.db.replicas.replica_choice import from_replica
from games.presentation.anonymous_cache import RANKED_COOKIE
from games.presentation.titles import VARIANT_TITLES
from games.presentation.view_models import ShownPlayer
from games.races.results import confirming_races
from leaderboards.ratings import rated_players


def viewer_of(request: HttpRequest) -> User | None:
    """Return the signed-in player, if any."""
    return request.user if request.user.is_authenticated else None


@require_GET
@from_replica("profiles")
def player(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Show a player's figures and results, earlier ones with ``?before=``; a deleted player's page answers 410."""
    viewer = viewer_of(request)
    if _is_deleted(public_id):
        return render(request, "players/gone.html", status=HTTPStatus.GONE)
    shown = contents.visible_player(public_id, viewer)
    is_own = shown == viewer
    results, older = contents.results_page(shown, own=is_own, before=_id(request.GET.get("before")))
    is_practice = is_own and request.GET.get("of") == "practice"
    plays = contents.plays_of(shown)
    progress = progress_of(shown.pk, plays, timezone.now())
    context = {
        "player": ShownPlayer.of(shown),
        "is_own": is_own,
        "is_following": viewer is not None and Follow.objects.filter(follower=viewer, followed=shown).exists(),
        "followers": shown.followers.count(),
        "statistics": contents.practice_statistics_of(shown) if is_practice else contents.statistics_of(shown, plays),
        "is_practice": is_practice,
        "progress": progress,
        "badges": [badge for badge in progress.badges if badge.stage or is_own],
        "reached": sum(badge.stage for badge in progress.badges),
        "rating": contents.rating_of(shown),
        "puzzles": puzzle_panel.puzzle_panel_of(shown),
        "race_hint": contents.race_hint_of(shown) if is_own and confirming_races.may_suggest(request) else None,
        "to_be_established": contents.to_be_established(shown) if is_own else "",
        "results": results,
        "older": older,
    }
    return render(request, "players/profile.html", context)


@require_GET
@from_replica("profiles")
def year(request: HttpRequest, public_id: UUID, number: int | None = None) -> HttpResponse:
    """Show a player's year in squares, by default this one; `?variant=` and `?result=` select one game and result."""
    viewer = viewer_of(request)
    shown, today = contents.visible_player(public_id, viewer), timezone.now().date()
    variant = request.GET.get("variant", "")
    found = Year.of(shown, number or today.year, variant, today, request.GET.get("result", ""))
    if found is None:
        raise Http404
    context = {"player": ShownPlayer.of(shown), "is_own": shown == viewer, "year": found, "variant": variant}
    return render(request, "players/year.html", context | {"variants": VARIANT_TITLES.items()})


@require_GET
@from_replica("profiles")
def compare(request: HttpRequest, public_id: UUID, other_id: UUID) -> HttpResponse:
    """Compare two players. A player the viewer may not see gets the same response as on the profile page."""
    viewer = viewer_of(request)
    if _is_deleted(public_id, other_id):
        return render(request, "players/gone.html", status=HTTPStatus.GONE)
    one, two = (contents.visible_player(key, viewer) for key in (public_id, other_id))
    if one == two:
        return redirect(one)
    found = comparison.compare(one, two)
    context = {
        "one": ShownPlayer.of(one),
        "two": ShownPlayer.of(two),
        "rating": (rating := comparison.rating_of(found.ratings)),
        "overall": [*comparison.figures_of(found.overall), *rating],
        "variants": [(name, comparison.figures_of(both)) for name, both in found.by_variant.items()],
        "comparison": found,
    }
    return render(request, "players/compare.html", context)


@require_GET
def search(request: HttpRequest) -> HttpResponse:
    """Find players by the start of a name, ``?name=``; with ``?compare=``, results link to a comparison."""
    name = request.GET.get("name", "").replace("\0", "").strip()
    if name:
        limits.spend(request, "search")
    found = [ShownPlayer.of(user) for user in find_players(name)]
    key = _id(request.GET.get("compare"))
    compared = key and ShownPlayer.of(contents.visible_player(key, viewer_of(request)))
    return render(request, "players/search.html", {"name": name, "found": found, "compared": compared})


@require_GET
@from_replica("profiles")
def history(request: HttpRequest, public_id: UUID) -> JsonResponse:
    """Return the verified ranked plays for the charts, oldest first; ``?variant=`` selects one variant."""
    shown = contents.visible_player(public_id, viewer_of(request))
    plays = contents.history_of(shown, request.GET.get("variant", ""))
    return JsonResponse({"plays": [play._asdict() for play in plays]})


@require_GET
@from_replica("profiles")
def ratings(request: HttpRequest, public_id: UUID) -> JsonResponse:
    """Return the points of the rating chart, oldest first: the end of each race and the rating after it."""
    shown = contents.visible_player(public_id, viewer_of(request))
    return _chart(rated_players.history_points(shown.pk, timezone.now() - contents.HISTORY))


@require_GET
@from_replica("profiles")
def puzzle_ratings(request: HttpRequest, public_id: UUID) -> JsonResponse:
    """Return the points of the puzzle rating's chart, oldest first: when a try was rated, and the rating after it."""
    shown = contents.visible_player(public_id, viewer_of(request))
    return _chart(puzzle_panel.puzzle_rating_history_of(shown))


def _chart(changes: list[tuple[datetime, float, float]]) -> JsonResponse:
    """Return a rating before the first change, and after each."""
    start = round(changes[0][1]) if changes else None
    return JsonResponse({"start": start, "points": [{"at": at, "value": round(mu)} for at, _, mu in changes]})


@require_GET
@player_required
def me(request: PlayerRequest) -> HttpResponseRedirect:
    """Redirect to the player's own page."""
    return redirect(request.user)


@require_POST
@account_required(back="players:profile")
def follow(request: PlayerRequest, public_id: UUID) -> HttpResponseBase:
    """Follow a player."""
    return _change_following(request, public_id, following=True)


@require_POST
@account_required(back="players:profile")
def unfollow(request: PlayerRequest, public_id: UUID) -> HttpResponseBase:
    """Stop following a player."""
    return _change_following(request, public_id, following=False)


@require_GET
@account_required()
def following(request: PlayerRequest) -> HttpResponse:
    """List the players this player follows."""
    rows = Follow.objects.filter(follower=request.user).select_related("followed").order_by("followed__display_name")
    return render(request, "players/following.html", {"players": [ShownPlayer.of(row.followed) for row in rows]})


@never_cache
@require_http_methods(["GET", "POST"])
@player_required
def settings(request: PlayerRequest) -> HttpResponse:
    """Show all settings; a POST saves the preferences."""
    form = _preferences_form(request, request.POST if request.method == "POST" else None)
    if request.method == "POST":
        limits.spend(request, "preferences")
        if form.is_valid():
            _save_preferences(request.user, form.cleaned_data)
            messages.success(request, _("Settings saved."))
            response = redirect("players:settings")
            remember_language(response, form.cleaned_data["language"])
            return response
    return _settings_page(request, preferences=form)


@require_POST
def language(request: HttpRequest) -> HttpResponseBase:
    """Set the language of this browser to ``language``, and that of the signed-in player."""
    changes = {"language": request.POST.get("language", "")}
    if request.user.is_authenticated and changes["language"] in dict(site.LANGUAGES):
        limits.spend(request, "preferences")
        _save_preferences(request.user, changes)
    return set_language(request)


@require_POST
def deals(request: HttpRequest) -> HttpResponse:
    """Choose if home shows `ranked` or `relaxed` games: for the signed-in player, or else for this browser."""
    chosen, response = "ranked" if request.POST.get("deals") == "ranked" else "relaxed", redirect("/")
    if request.user.is_authenticated:
        limits.spend(request, "preferences")
        _save_preferences(request.user, {"deals": chosen})
    elif chosen == "ranked":
        secure, age = site.LANGUAGE_COOKIE_SECURE, site.LANGUAGE_COOKIE_AGE
        response.set_cookie(RANKED_COOKIE, "1", max_age=age, secure=secure, samesite="Lax", httponly=True)
    else:
        response.delete_cookie(RANKED_COOKIE, samesite="Lax")
    return response


@require_POST
@account_required(back="players:settings")
def rename(request: PlayerRequest) -> HttpResponse:
    """Change the player's name."""
    limits.spend(request, "rename")
    form = RenameForm(request.POST)
    if form.is_valid():
        try:
            rename_player(request.user, form.cleaned_data["name"])
        except ValidationError as error:
            form.add_error("name", error)
        else:
            messages.success(request, _("Your name is now %(name)s.") % {"name": request.user.display_name})
            return redirect("players:settings")
    return _settings_page(request, name=form)


@never_cache
@require_http_methods(["GET", "POST"])
@player_required
@json_only
def preferences(request: PlayerRequest) -> JsonResponse:
    """Return the preferences as JSON; a POST with a JSON object changes the ones it names."""
    if request.method == "POST":
        limits.spend(request, "preferences")
        try:
            _save_preferences(request.user, clean_preferences(json_body(request)))
        except ValidationError as error:
            raise _bad_request(error) from None
        except ValueError:
            raise Refusal(ErrorCode.BAD_REQUEST, ErrorCode.BAD_JSON.sentence) from None
    return JsonResponse({"preferences": preferences_of(request.user.preferences)})


@never_cache
@require_GET
@player_required
@fresh_sign_in_required
def download(request: PlayerRequest) -> StreamingHttpResponse:
    """Stream all of the player's data as a download."""
    limits.spend(request, "export")
    return StreamingHttpResponse(
        export(request.user),
        content_type="application/json",
        headers={"Content-Disposition": 'attachment; filename="talon.json"'},
    )


@never_cache
@require_http_methods(["GET", "POST"])
@player_required
@fresh_sign_in_required
def delete(request: PlayerRequest) -> HttpResponse:
    """Explain account deletion; once the player has typed their name, delete the account."""
    form = DeleteForm(request.user, request.POST if request.method == "POST" else None)
    if request.method == "POST":
        limits.spend(request, "delete")
        if form.is_valid():
            user = request.user
            logout(request)
            erase_player(user)
            messages.success(request, _("Your account is deleted. Thank you for playing."))
            return redirect("/")
    return render(request, "players/delete.html", {"form": form})


def _change_following(request: PlayerRequest, public_id: UUID, *, following: bool) -> HttpResponseBase:
    limits.spend(request, "follow")
    shown = contents.visible_player(public_id, request.user)
    try:
        (follows.follow if following else follows.unfollow)(request.user, shown)
    except ValidationError as error:
        if wants_json(request):
            raise _bad_request(error) from None
        messages.error(request, " ".join(error.messages))
        return redirect(shown)
    return JsonResponse({"following": following}) if wants_json(request) else redirect(shown)


def _bad_request(error: ValidationError) -> Refusal:
    return Refusal(ErrorCode.BAD_REQUEST, " ".join(error.messages))


@transaction.atomic
def _save_preferences(user: User, changes: Mapping[str, str | bool]) -> None:
    """Change these preferences under a row lock, so that concurrent changes are all kept."""
    # Store only explicit choices: defaults may change, and a browser keeps its own choices where the account has none.
    locked = User.objects.select_for_update(no_key=True).only("preferences").get(pk=user.pk)
    user.preferences = locked.preferences | dict(changes)
    user.save(update_fields=["preferences"])


def _preferences_form(request: PlayerRequest, data: QueryDict | None = None) -> PreferencesForm:
    return PreferencesForm(request.user, data, language=remembered_language(request))


def _settings_page(
    request: PlayerRequest, *, preferences: PreferencesForm | None = None, name: RenameForm | None = None
) -> HttpResponse:
    failed = any(form is not None and form.is_bound for form in (preferences, name))
    context = {
        "preferences_form": preferences or _preferences_form(request),
        "calendar": calendar_feed.shown(request.user),
        "push": push_shown(request),
        "name_form": name or RenameForm(initial={"name": request.user.display_name}),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if failed else HTTPStatus.OK
    return render(request, "players/settings.html", context, status=status)


def _is_deleted(*public_ids: UUID) -> bool:
    return User.objects.filter(public_id__in=public_ids, deleted_at__isnull=False).exists()


def _id(text: str | None) -> UUID | None:
    """Parse an optional id from a query parameter.

    :raises Http404: if it is not a UUID.
    """
    if not text:
        return None
    try:
        return UUID(text)
    except ValueError:
        raise Http404 from None
