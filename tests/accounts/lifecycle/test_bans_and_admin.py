"""Moderation by staff, and staff permissions."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.lifecycle.bans import ban_player, end_due, lift_ban
from accounts.models import Ban, User
from accounts.names.validation import name_key
from games.models import Deal
from leaderboards.boards import listing_queries, relisting, seasons
from leaderboards.boards.listings import deal_listing, season_listing
from leaderboards.boards.rank_keys import BOARDS, BoardScore
from leaderboards.models import Rating, Result, Season
from leaderboards.ratings import rated_players
from tests import factories
from tests.accounts.conftest import PASSWORD, MakeAttempt, MakeUser, SignIn
from tests.factories import make_deal

pytestmark = pytest.mark.django_db

PLAYERS = reverse("admin:accounts_user_changelist")


@pytest.fixture
def staff(make_user: MakeUser) -> User:
    """A staff member who may view, change and ban players, without being a superuser."""
    user = make_user("Moderato", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=["view_user", "change_user", "ban_user"]))
    return user


@pytest.fixture
def root(make_user: MakeUser) -> User:
    return make_user("Rooted", is_superuser=True, is_staff=True)


def act(client: Client, action: str, *players: User) -> None:
    answer = client.post(PLAYERS, {"action": action, "_selected_action": [player.pk for player in players]})
    assert answer.status_code == 302


def ban(client: Client, *players: User, **terms: str) -> Any:
    response = client.post(
        PLAYERS, {"action": "ban", "_selected_action": [player.pk for player in players]}, follow=True
    )
    if response.status_code != 200 or "form" not in (response.context or {}):
        return response
    chosen = {"player": [player.public_id for player in players]}
    return client.post(reverse("admin:accounts_ban"), {**chosen, "why": "conduct", **terms})


def test_a_ban_ends_sessions_and_hides_results(user: User, mine: Client, make_attempt: MakeAttempt) -> None:
    attempt, browser = make_attempt(user, make_deal()), mine
    relisting.relist_player(user)
    ban_player(user)
    assert browser.get(reverse("players:me")).headers["Location"].startswith(reverse("account_login"))
    assert not Result.objects.filter(attempt=attempt, listed=True).exists()
    lift_ban(user)
    assert Result.objects.get(attempt=attempt).listed
    # Sessions from before the ban stay invalid.
    assert browser.get(reverse("players:me")).headers["Location"].startswith(reverse("account_login"))


def test_banned_players_see_it_only_with_the_password(user: User, client: Client) -> None:
    ban_player(user)
    right = client.post(reverse("account_login"), {"login": "Ada Lovelace", "password": PASSWORD})
    assert right.headers["Location"] == reverse("account_inactive")
    wrong = client.post(reverse("account_login"), {"login": "Ada Lovelace", "password": "wrong"})
    assert wrong.status_code == 200
    assert "_auth_user_id" not in client.session
    assert client.get(reverse("account_inactive")).status_code == 200


def test_staff_ban_and_lift_bans(user: User, staff: User, sign_in: SignIn) -> None:
    client = sign_in(staff)
    ban(client, user)
    user.refresh_from_db()
    assert user.banned_at is not None
    assert not user.is_active
    act(client, "unban", user)
    user.refresh_from_db()
    assert user.banned_at is None
    assert user.is_active
    assert [entry.change_message for entry in LogEntry.objects.order_by("pk")] == ["Banned.", "Ban lifted."]


def test_staff_cannot_ban_staff(staff: User, root: User, sign_in: SignIn) -> None:
    for action in ("ban", "erase", "neutral_name"):
        act(sign_in(staff), action, root, staff)
    refused = sign_in(root).post(reverse("admin:accounts_ban"), {"player": [staff.public_id], "why": "name"})
    assert refused.status_code == 404
    assert set(User.objects.filter(is_active=True, deleted_at=None)) == {root, staff}


def test_a_bad_name_is_replaced_and_its_owner_can_sign_in(
    user: User, staff: User, sign_in: SignIn, client: Client
) -> None:
    act(sign_in(staff), "neutral_name", user)
    user.refresh_from_db()
    assert user.display_name != "Ada Lovelace"
    assert user.name_key == name_key(user.display_name)
    client.post(reverse("account_login"), {"login": "Ada Lovelace", "password": PASSWORD})
    assert client.session["_auth_user_id"] == str(user.pk)


def test_staff_delete_a_player(user: User, staff: User, sign_in: SignIn) -> None:
    act(sign_in(staff), "erase", user)
    user.refresh_from_db()
    assert user.deleted_at is not None
    assert not LogEntry.objects.filter(object_repr__contains="Ada").exists()


def test_a_deleted_player_cannot_be_unbanned(user: User, staff: User, sign_in: SignIn) -> None:
    ban_player(user)
    act(sign_in(staff), "erase", user)
    act(sign_in(staff), "unban", user)
    user.refresh_from_db()
    assert not user.is_active


def test_players_can_be_searched(user: User, staff: User, sign_in: SignIn) -> None:
    client = sign_in(staff)
    for query in ("Ada", str(user.public_id)):
        assert "Ada Lovelace" in client.get(PLAYERS, {"q": query}).content.decode()
    assert client.get(reverse("admin:accounts_user_change", args=[user.pk])).status_code == 200


def test_rows_cannot_be_added_or_deleted(user: User, root: User, sign_in: SignIn) -> None:
    client = sign_in(root)
    assert client.get(reverse("admin:accounts_user_add")).status_code == 403
    assert client.post(reverse("admin:accounts_user_delete", args=[user.pk]), {"post": "yes"}).status_code == 403
    client.post(PLAYERS, {"action": "delete_selected", "_selected_action": [user.pk], "post": "yes"})
    assert User.objects.filter(pk=user.pk).exists()


@pytest.mark.parametrize("model", ["socialaccount", "socialapp", "socialtoken"])
def test_links_of_providers_to_accounts_are_read_only(root: User, sign_in: SignIn, model: str) -> None:
    client = sign_in(root)
    assert client.get("/admin/accounts/user/").status_code == 200
    assert client.get(f"/admin/socialaccount/{model}/").status_code == 404


def test_only_superusers_grant_permissions(user: User, staff: User, root: User, sign_in: SignIn) -> None:
    form = {"is_staff": "on", "is_superuser": "on", "display_name": "Changed"}
    sign_in(staff).post(reverse("admin:accounts_user_change", args=[staff.pk]), form)
    staff.refresh_from_db()
    assert not staff.is_superuser
    sign_in(root).post(reverse("admin:accounts_user_change", args=[user.pk]), form)
    user.refresh_from_db()
    assert user.is_superuser
    assert user.display_name == "Ada Lovelace"


def test_others_cannot_enter_the_admin(user: User, guest: User, client: Client, sign_in: SignIn) -> None:
    assert client.get(PLAYERS).status_code == 302
    assert client.get(reverse("admin:login")).headers["Location"].startswith(reverse("account_login"))
    for player in (user, guest):
        assert sign_in(player).get(PLAYERS, follow=True).status_code == 403
        ban(sign_in(player), user)
        sign_in(player).post(reverse("admin:accounts_ban"), {"player": user.public_id, "why": "name"})
    user.refresh_from_db()
    assert user.banned_at is None


@pytest.mark.parametrize("rights", [["view_user"], ["view_user", "change_user"]])
def test_staff_without_permission_cannot_ban(
    rights: list[str], user: User, make_user: MakeUser, sign_in: SignIn
) -> None:
    viewer = make_user("Looker", is_staff=True)
    viewer.user_permissions.set(Permission.objects.filter(codename__in=rights))
    client = sign_in(viewer)
    ban(client, user)
    page = reverse("admin:accounts_ban")
    assert client.get(page, {"player": str(user.public_id)}).status_code == 403
    assert client.post(page, {"player": user.public_id, "why": "name"}).status_code == 403
    user.refresh_from_db()
    assert user.banned_at is None
    ban_player(user, note="Between ourselves.")
    client.post(PLAYERS, {"action": "unban", "_selected_action": [user.pk]})
    user.refresh_from_db()
    assert user.banned_at is not None
    assert "Between ourselves" not in client.get(reverse("admin:accounts_user_change", args=[user.pk])).content.decode()


def test_a_ban_shows_reason_term_and_note_to_staff(user: User, staff: User, sign_in: SignIn) -> None:
    client = sign_in(staff)
    until = timezone.now().date() + timedelta(days=9)
    ban(client, user, why="unfair", until=until.isoformat(), note="See the five games of Monday.")
    found = Ban.objects.get(player=user)
    assert (found.why, found.until, found.by) == (Ban.Why.UNFAIR, datetime.combine(until, time.min, tzinfo=UTC), staff)
    page = client.get(reverse("admin:accounts_user_change", args=[user.pk])).content.decode()
    assert "See the five games of Monday." in page
    act(client, "unban", user)
    found.refresh_from_db()
    assert (found.end, found.ended_by) == (Ban.End.LIFTED, staff)
    assert found.ended_at is not None


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"until": "2020-01-01"}, "This day has begun or is over."),
        ({"until": "2026-02-30"}, "Enter a valid date."),
        ({"why": "spite"}, "Select a valid choice."),
    ],
)
def test_invalid_terms_are_refused(terms: dict[str, str], said: str, user: User, staff: User, sign_in: SignIn) -> None:
    assert said in ban(sign_in(staff), user, **terms).content.decode()
    assert not Ban.objects.exists()


def test_a_ban_ends_exactly_with_its_term(user: User) -> None:
    now = timezone.now()
    ban_player(user, Ban.Why.UNFAIR, until=now + timedelta(days=3))
    assert end_due(now + timedelta(days=2)) == 0
    assert end_due(now + timedelta(days=3)) == 1
    user.refresh_from_db()
    assert (user.banned_at, user.is_active) == (None, True)
    assert Ban.objects.get().end == Ban.End.RAN_OUT
    assert end_due(now + timedelta(days=4)) == 0


def test_another_ban_replaces_the_first(user: User, staff: User) -> None:
    now = timezone.now()
    first = ban_player(user, until=now + timedelta(days=1))
    since = User.objects.get(pk=user.pk).banned_at
    ban_player(user, by=staff)
    first.refresh_from_db()
    assert (first.end, first.ended_by) == (Ban.End.REPLACED, staff)
    assert end_due(now + timedelta(days=40_000)) == 0, "a ban without a term does not end"
    assert User.objects.get(pk=user.pk).banned_at == since


def test_the_schedule_ends_bans(settings: Any) -> None:
    assert {"task": "talon.end_bans", "schedule": 60.0} in settings.CELERY_BEAT_SCHEDULE.values()


def test_lifting_a_ban_restores_ranks_and_ratings_exactly(make_user: MakeUser) -> None:
    deals = [make_deal("stonewall", day=timezone.now().date() - timedelta(days=n)) for n in (2, 3)]
    players = [make_user(f"Player {n}") for n in range(4)]
    for on in deals:
        for n, player in enumerate(players):
            factories.listed(on, BoardScore(50 - n % 3, 60_000 + n, 100), who=player)
    for n, player in enumerate(players):
        Rating.objects.create(player=player, mu=1500.5 + n, sigma=99.25, races=20, last_raced_at=timezone.now())
    seasons.recount_marked()
    before = stood(deals)
    assert {len(rows) for rows in before} == {len(players)}
    ban_player(players[1], until=timezone.now() + timedelta(days=1))
    seasons.recount_marked()
    hidden = stood(deals)
    assert {len(rows) for rows in hidden} == {len(players) - 1}
    assert players[1].public_id not in {who for rows in hidden for _, who, *_ in rows}
    end_due(timezone.now() + timedelta(days=2))
    seasons.recount_marked()
    assert stood(deals) == before


def stood(deals: list[Deal]) -> list[list[tuple[Any, ...]]]:
    found = Season.objects.filter(standings__isnull=False).distinct().order_by("pk").values_list("pk", flat=True)
    listings = [deal_listing(on.pk, name) for on in deals for name in BOARDS]
    listings += [season_listing(pk, name) for pk in found for name in BOARDS]
    pages = [listing_queries.first_entries(listing, 50).entries for listing in listings]
    shown: list[list[tuple[Any, ...]]] = [
        [(one.rank, one.player, one.cards_up, one.elapsed_ms, one.tokens) for one in page] for page in pages
    ]
    rated = rated_players.listed().order_by("-mu").values_list("mu", "player__public_id", "sigma", "races")
    return [*shown, list(rated)]
