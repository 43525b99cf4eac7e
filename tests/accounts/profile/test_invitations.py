"""Invitation links: permissions, landing page, and how inviter and guest meet."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core import signing
from django.test import Client
from django.urls import reverse

from accounts.lifecycle.bans import ban_player
from accounts.lifecycle.erasure import erase_player
from accounts.models import Follow, User
from accounts.names.renaming import rename_player
from accounts.profile import invitations
from games.core import limits
from games.inbox import notices
from games.inbox.models import Notice
from games.races.models import Entrant, Room
from tests.accounts.conftest import PASSWORD, MakeUser, SignIn

pytestmark = pytest.mark.django_db

INVITE = reverse("players:invite")


def join(inviter: User) -> str:
    return reverse("players:join", args=[invitations.token_of(inviter)])


def accept(inviter: User) -> str:
    return reverse("players:accept", args=[invitations.token_of(inviter)])


def player_in(client: Client) -> User:
    return User.objects.get(pk=client.session["_auth_user_id"])


def room_of(player: User) -> Room:
    return Entrant.objects.get(player=player).race.room


def test_a_player_gets_a_link_to_share(user: User, mine: Client, settings: Any) -> None:
    shown = mine.get(INVITE)
    assert shown.context["link"].startswith(f"{settings.PUBLIC_URL}/join/")
    token = shown.context["link"].rstrip("/").rpartition("/")[2]
    assert invitations.inviter_of(token) == user
    for part in ("data-copies", "data-shares", "field-buttons.js", shown.context["link"]):
        assert part in shown.content.decode()


def test_a_stranger_reads_who_invites_and_what_to_do(client: Client, user: User) -> None:
    address = join(user)
    shown = client.get(address)
    text = shown.content.decode()
    assert "Ada Lovelace invites you to a patience race" in text
    assert '<meta name="robots" content="noindex">' in text
    assert f"{reverse('account_signup')}?next={address}" in text
    assert user.username not in address
    assert not shown.cookies.get("sessionid"), "viewing the page creates no guest"
    assert not Room.objects.exists()


def test_accepting_creates_a_guest_in_a_room_and_notifies(client: Client, user: User, mine: Client) -> None:
    answer = client.post(accept(user))
    guest = player_in(client)
    room = room_of(guest)
    assert guest.is_guest
    assert (room.host_id, room.kind) == (guest.pk, Room.Kind.PRIVATE)
    assert answer.headers["Location"] == reverse("games:room", args=[room.code])
    notice = Notice.objects.get(player=user)
    assert (notice.kind, notice.data["player"]) == (Notice.Kind.JOINED, guest.pk)
    inbox = mine.get(reverse("games:inbox")).content.decode()
    assert f"{guest.display_name} accepted your invitation" in inbox
    assert answer.headers["Location"] in inbox
    assert "We told" in client.get(answer.headers["Location"]).content.decode()


def test_signing_up_returns_to_the_link_and_follows(client: Client, user: User) -> None:
    address = join(user)
    form = {"username": "Mary Somerville", "password1": PASSWORD, "next": address}
    assert client.post(reverse("account_signup"), form).headers["Location"] == address
    assert "Race Ada Lovelace" in client.get(address).content.decode()
    client.post(accept(user))
    mary = player_in(client)
    assert Follow.objects.filter(follower=mary, followed=user).exists()
    assert not Follow.objects.filter(follower=user).exists(), "the inviter decides for themselves"
    assert Notice.objects.get(player=user).data["player"] == mary.pk


def test_accepting_again_reuses_the_room_without_a_notice(client: Client, user: User) -> None:
    first = client.post(accept(user)).headers["Location"]
    assert client.post(accept(user)).headers["Location"] == first
    assert Notice.objects.filter(player=user).count() == 1
    assert Room.objects.count() == 1


def test_own_links_lead_to_the_invitation_page(user: User, mine: Client) -> None:
    assert mine.get(join(user)).headers["Location"] == INVITE
    assert mine.post(accept(user)).headers["Location"] == INVITE
    assert not Notice.objects.exists()


def dead_links(user: User) -> list[str]:
    token = invitations.token_of(user)
    forged = token[:-1] + ("A" if token[-1] != "A" else "B")
    otherwise_salted = signing.TimestampSigner(sep=".", salt="another").sign(user.public_id.hex)
    unsigned = signing.TimestampSigner(sep=".", salt="invitation").sign("nobody")
    return [forged, otherwise_salted, unsigned, user.public_id.hex, "x"]


def test_an_invalid_link_has_a_friendly_page(client: Client, user: User) -> None:
    for token in dead_links(user):
        for answer in (
            client.get(reverse("players:join", args=[token])),
            client.post(reverse("players:accept", args=[token])),
        ):
            assert answer.status_code == 404
            assert "This invitation has expired" in answer.content.decode()
            assert "Ada" not in answer.content.decode()
    assert not User.objects.filter(is_guest=True).exists()


def test_a_link_expires_after_two_weeks(client: Client, user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    address = join(user)
    assert client.get(address).status_code == 200
    monkeypatch.setattr(invitations, "LIFETIME", timedelta(seconds=-1))
    assert client.get(address).status_code == 404


@pytest.mark.parametrize("end", [ban_player, erase_player])
def test_a_link_ends_with_the_inviter(client: Client, user: User, end: Any) -> None:
    address, posted = join(user), accept(user)
    end(user)
    assert client.get(address).status_code == client.post(posted).status_code == 404


def test_a_link_shows_the_inviters_current_name(client: Client, user: User) -> None:
    address = join(user)
    rename_player(user, "Grace Hopper")
    assert "Grace Hopper invites you" in client.get(address).content.decode()


def test_it_redirects_only_within_the_site(client: Client, user: User) -> None:
    answer = client.post(accept(user) + "?next=https://evil.example/", {"next": "https://evil.example/"})
    assert answer.headers["Location"].startswith("/races/")


def test_notices_are_limited_but_rooms_are_not(
    user: User, make_user: MakeUser, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(limits.RATES, "invited", "2/h")
    friends = [make_user() for _ in range(3)]
    shown = [sign_in(friend).post(accept(user), follow=True) for friend in friends]
    assert [room_of(friend).host_id for friend in friends] == [friend.pk for friend in friends]
    assert ["We told" in one.content.decode() for one in shown] == [True, True, False]
    assert "Ada Lovelace gets too many messages" in shown[2].content.decode()
    assert Notice.objects.filter(player=user).count() == 2


def test_one_network_does_not_use_up_an_inviters_notices(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "invited", "6/h")
    monkeypatch.setitem(limits.RATES, "invited_network", "2/h")
    for n in range(7):
        Client(REMOTE_ADDR=f"2001:db8:0:{n:x}::1").post(accept(user))
    count = Notice.objects.filter(player=user).count()
    assert count == 4, "a large network has twice the limit"
    Client(REMOTE_ADDR="198.51.100.9").post(accept(user))
    assert Notice.objects.filter(player=user).count() == count + 1


def test_refused_requests_do_not_use_up_notices(
    client: Client, user: User, make_user: MakeUser, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(limits.RATES, "invited", "2/h")
    for _ in range(3):  # all but the first lead to the room where this guest has a seat
        client.post(accept(user))
    friend = make_user()
    sign_in(friend).post(accept(user))
    assert {one.data["player"] for one in Notice.objects.filter(player=user)} == {player_in(client).pk, friend.pk}


def test_repeated_acceptance_leaves_one_unread_notice(client: Client, user: User) -> None:
    for _ in range(3):
        address = client.post(accept(user)).headers["Location"]
        notice = Notice.objects.get(player=user)
        assert notice.data == {"player": player_in(client).pk, "address": address}
        Entrant.objects.all().delete()
    assert Room.objects.count() == 3
    notices.mark_seen(user.pk)
    client.post(accept(user))
    assert Notice.objects.filter(player=user).count() == 2


def test_a_guest_who_signs_in_later_is_named_by_account(client: Client, user: User, make_user: MakeUser) -> None:
    client.post(accept(user))
    friend = make_user("Charles Babbage")
    client.post(reverse("account_login"), {"login": "Charles Babbage", "password": PASSWORD})
    assert player_in(client) == friend
    notice = Notice.objects.get(player=user)
    assert notice.data["player"] == friend.pk
    assert notice.data["address"]
