"""What staff may do to players, and who is staff."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.moderation import ban_player, lift_ban
from accounts.names import name_key
from leaderboards import ranking
from leaderboards.models import Result
from tests.accounts.conftest import PASSWORD, MakeAttempt, MakeDeal, MakeUser, SignIn

pytestmark = pytest.mark.django_db

PLAYERS = reverse("admin:accounts_user_changelist")


@pytest.fixture
def staff(make_user: MakeUser) -> User:
    """Staff who may change players, and are no superuser."""
    user = make_user("Moderato", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=["view_user", "change_user"]))
    return user


def act(client: Client, action: str, *players: User) -> None:
    answer = client.post(PLAYERS, {"action": action, "_selected_action": [player.pk for player in players]})
    assert answer.status_code == 302


def test_a_ban_ends_sessions_and_takes_results_off_the_boards(
    user: User, sign_in: SignIn, make_deal: MakeDeal, make_attempt: MakeAttempt
) -> None:
    attempt, browser = make_attempt(user, make_deal()), sign_in(user)
    ranking.rank_player(user)
    ban_player(user)
    assert browser.get(reverse("players:me")).headers["Location"].startswith(reverse("account_login"))
    assert not Result.objects.filter(attempt=attempt, listed=True).exists()
    lift_ban(user)
    assert Result.objects.get(attempt=attempt).listed
    # The sessions from before do not come back to life.
    assert browser.get(reverse("players:me")).headers["Location"].startswith(reverse("account_login"))


def test_the_banned_are_told_only_when_they_know_the_password(user: User, client: Client) -> None:
    ban_player(user)
    right = client.post(reverse("account_login"), {"login": "Ada Lovelace", "password": PASSWORD})
    assert right.headers["Location"] == reverse("account_inactive")
    wrong = client.post(reverse("account_login"), {"login": "Ada Lovelace", "password": "wrong"})
    assert wrong.status_code == 200
    assert "_auth_user_id" not in client.session
    assert client.get(reverse("account_inactive")).status_code == 200


def test_staff_ban_and_lift_bans(user: User, staff: User, sign_in: SignIn) -> None:
    client = sign_in(staff)
    act(client, "ban", user)
    user.refresh_from_db()
    assert user.banned_at is not None
    assert not user.is_active
    act(client, "unban", user)
    user.refresh_from_db()
    assert user.banned_at is None
    assert user.is_active
    assert [entry.change_message for entry in LogEntry.objects.order_by("pk")] == ["Banned.", "Ban lifted."]


def test_staff_are_not_banned_by_staff(staff: User, make_user: MakeUser, sign_in: SignIn) -> None:
    root = make_user("Rooted", is_superuser=True, is_staff=True)
    for action in ("ban", "erase", "neutral_name"):
        act(sign_in(staff), action, root, staff)
    assert set(User.objects.filter(is_active=True, deleted_at=None)) == {root, staff}


def test_a_bad_name_is_replaced_and_its_owner_still_gets_in(
    user: User, staff: User, sign_in: SignIn, client: Client
) -> None:
    act(sign_in(staff), "neutral_name", user)
    user.refresh_from_db()
    assert user.display_name != "Ada Lovelace"
    assert user.name_key == name_key(user.display_name)
    client.post(reverse("account_login"), {"login": "Ada Lovelace", "password": PASSWORD})
    assert client.session["_auth_user_id"] == str(user.pk)


def test_staff_erase(user: User, staff: User, sign_in: SignIn) -> None:
    act(sign_in(staff), "erase", user)
    user.refresh_from_db()
    assert user.deleted_at is not None
    assert not LogEntry.objects.filter(object_repr__contains="Ada").exists()


def test_an_erased_player_is_not_let_back_in(user: User, staff: User, sign_in: SignIn) -> None:
    ban_player(user)
    act(sign_in(staff), "erase", user)
    act(sign_in(staff), "unban", user)
    user.refresh_from_db()
    assert not user.is_active


def test_players_are_looked_up(user: User, staff: User, sign_in: SignIn) -> None:
    client = sign_in(staff)
    for query in ("Ada", str(user.public_id)):
        assert "Ada Lovelace" in client.get(PLAYERS, {"q": query}).content.decode()
    assert client.get(reverse("admin:accounts_user_change", args=[user.pk])).status_code == 200


def test_rows_are_neither_added_nor_deleted(user: User, make_user: MakeUser, sign_in: SignIn) -> None:
    client = sign_in(make_user("Rooted", is_superuser=True, is_staff=True))
    assert client.get(reverse("admin:accounts_user_add")).status_code == 403
    assert client.post(reverse("admin:accounts_user_delete", args=[user.pk]), {"post": "yes"}).status_code == 403
    client.post(PLAYERS, {"action": "delete_selected", "_selected_action": [user.pk], "post": "yes"})
    assert User.objects.filter(pk=user.pk).exists()


def test_only_superusers_give_rights(user: User, staff: User, make_user: MakeUser, sign_in: SignIn) -> None:
    form = {"is_staff": "on", "is_superuser": "on", "display_name": "Changed"}
    sign_in(staff).post(reverse("admin:accounts_user_change", args=[staff.pk]), form)
    staff.refresh_from_db()
    assert not staff.is_superuser
    root = make_user("Rooted", is_superuser=True, is_staff=True)
    sign_in(root).post(reverse("admin:accounts_user_change", args=[user.pk]), form)
    user.refresh_from_db()
    assert user.is_superuser
    assert user.display_name == "Ada Lovelace"


def test_others_are_kept_out_of_the_admin(user: User, guest: User, client: Client, sign_in: SignIn) -> None:
    assert client.get(PLAYERS).status_code == 302
    assert client.get(reverse("admin:login")).headers["Location"].startswith(reverse("account_login"))
    for player in (user, guest):
        assert sign_in(player).get(PLAYERS, follow=True).status_code == 403
        sign_in(player).post(PLAYERS, {"action": "ban", "_selected_action": [user.pk]})
    user.refresh_from_db()
    assert user.banned_at is None


def test_staff_without_the_right_to_change_have_no_actions(user: User, make_user: MakeUser, sign_in: SignIn) -> None:
    viewer = make_user("Looker", is_staff=True)
    viewer.user_permissions.set(Permission.objects.filter(codename="view_user"))
    sign_in(viewer).post(PLAYERS, {"action": "ban", "_selected_action": [user.pk]})
    user.refresh_from_db()
    assert user.banned_at is None
