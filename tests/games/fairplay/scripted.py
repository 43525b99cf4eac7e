"""Scripted players run against the real service.

They begin a game in a browser or directly; their tokens go into the journal with given times, and the attempt is
closed, judged and settled.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.test import Client
from django.urls import reverse

from accounts.models import User
from games.attempts.lifecycle import close_attempt, start_attempt
from games.models import Attempt, Deal, Move
from leaderboards.verdicts import settlement
from tests.factories import make_account, make_deal, unhurried, won_records

State = Attempt.State
Verdict = tuple[State, list[str]]
"""State of a settled attempt, and the codes of its findings."""

CLEAN: Verdict = (State.VERIFIED, [])
PASSWORD = "seven of wands"


# In a browser.


def begun(browser: Client, address: str = "192.0.2.7", variant: str = "plot") -> Attempt:
    table = browser.post(f"/play/{variant}/start", REMOTE_ADDR=address)["Location"]
    return Attempt.objects.select_related("deal", "player").get(public_id=table.split("/")[2])


def leave(browser: Client) -> None:
    """Sign out or end the guest's session; the browser keeps its other cookies."""
    browser.post(reverse("account_logout"))
    assert SESSION_KEY not in browser.session


def member(name: str = "Ada Lovelace") -> User:
    return User.objects.create_user(name, password=PASSWORD)


def sign_in(browser: Client, name: str = "Ada Lovelace") -> None:
    browser.post(reverse("account_login"), {"login": name, "password": PASSWORD})
    assert browser.session[SESSION_KEY]


def sign_up(browser: Client, name: str = "Ada Lovelace") -> bool:
    form = {"username": name, "password1": PASSWORD}
    return browser.post(reverse("account_signup"), form).status_code == 302


# At the table.


def winnable(variant: str, number: int = 0) -> tuple[Deal, tuple[str, ...]]:
    record = won_records(variant)[number]
    return make_deal(variant, seed=record.seed), record.tokens


def finish(
    attempt: Attempt, tokens: Sequence[str], clock: Sequence[int] | None = None, served: Collection[int] = ()
) -> Attempt:
    """Play the tokens at a running attempt, and resign if they do not win. The server plays the `served`."""
    clock = unhurried(tokens) if clock is None else clock
    rows = enumerate(zip(tokens, clock, strict=True), 1)
    Move.objects.bulk_create(Move(attempt=attempt, n=n, token=one, ms=ms, auto=n in served) for n, (one, ms) in rows)
    return close_attempt(attempt.pk, "resigned", at=attempt.started_at + timedelta(milliseconds=clock[-1]))


def play(
    deal: Deal,
    tokens: Sequence[str],
    clock: Sequence[int] | None = None,
    *,
    who: User | None = None,
    hours: float = 1,
    served: Collection[int] = (),
) -> Attempt:
    """Play a whole game, begun this many hours after the deal opened, by default by a new account."""
    attempt = start_attempt(who or make_account(), deal, now=deal.opens_at + timedelta(hours=hours))
    return finish(attempt, tokens, clock, served)


def codes(reasons: list[dict[str, Any]]) -> list[str]:
    return [reason["code"] for reason in reasons]


def verdict(attempt: Attempt) -> Verdict:
    """Return the verdict on an attempt, after resigning it if it still runs."""
    if attempt.state == State.PLAYING:
        close_attempt(attempt.pk, "resigned")
    state = settlement.settle(attempt.pk)
    assert state is not None
    attempt.refresh_from_db()
    return state, codes(attempt.reasons)
