"""Voiding of races by staff after a server fault."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from accounts.models import User
from games.races.models import Race
from leaderboards.models import RatingChange
from leaderboards.ratings import rating_reconciler
from tests.games.races.runs import Run
from tests.players import signed_in

pytestmark = pytest.mark.django_db(transaction=True)

RACES = "admin:races_race_changelist"


def staff(*permissions: str) -> Client:
    user = User.objects.create_user(username="Rhadamanthys", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    return signed_in(user)


def void(client: Client, race: Race) -> str:
    answer = client.post(reverse(RACES), {"action": "void_selected", "_selected_action": race.pk}, follow=True)
    return answer.content.decode()


def test_a_spoiled_race_is_voided_once_and_not_rated() -> None:
    run = Run.racing(2)
    client = staff("view_race", "change_race")
    assert "void." in void(client, run.race)
    assert (run.race.state, run.race.void) == (Race.State.VOID, Race.Void.SERVER_FAULT)
    assert "is over" in void(client, run.race)
    rating_reconciler.rate_finished()
    assert not RatingChange.objects.exists()


def test_view_permission_is_not_enough_to_void() -> None:
    run = Run.racing(2)
    void(staff("view_race"), run.race)
    assert run.race.state == Race.State.RACING
