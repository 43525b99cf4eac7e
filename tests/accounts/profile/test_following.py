"""Following other players."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Follow, User
from accounts.profile import follows
from tests.accounts.conftest import MakeUser, SignIn

pytestmark = pytest.mark.django_db


def test_following_and_unfollowing(make_user: MakeUser, mine: Client) -> None:
    other = make_user("Grace Hopper")
    for _ in range(2):
        assert (
            mine.post(reverse("players:follow", args=[other.public_id])).headers["Location"] == other.get_absolute_url()
        )
    assert Follow.objects.get().followed == other
    assert mine.get(other.get_absolute_url()).context["is_following"]
    assert "Grace Hopper" in mine.get(reverse("players:following")).content.decode()
    for _ in range(2):
        mine.post(reverse("players:unfollow", args=[other.public_id]))
    assert not Follow.objects.exists()


def test_scripts_get_json(user: User, make_user: MakeUser, mine: Client) -> None:
    other = make_user()
    headers = {"accept": "application/json"}
    assert mine.post(reverse("players:follow", args=[other.public_id]), headers=headers).json() == {"following": True}
    answer = mine.post(reverse("players:follow", args=[user.public_id]), headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_request")


def test_guests_cannot_be_followed(guest: User, mine: Client) -> None:
    assert mine.post(reverse("players:follow", args=[guest.public_id])).status_code == 404


def test_there_is_a_limit(make_user: MakeUser, mine: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follows, "MOST_FOLLOWED", 1)
    for other in (make_user(), make_user()):
        mine.post(reverse("players:follow", args=[other.public_id]))
    assert Follow.objects.count() == 1


def test_a_guest_signs_up_and_returns_to_follow(user: User, guest: User, sign_in: SignIn) -> None:
    answer = sign_in(guest).post(reverse("players:follow", args=[user.public_id]))
    assert answer.headers["Location"] == f"{reverse('account_signup')}?next={user.get_absolute_url()}"
    assert not Follow.objects.exists()
