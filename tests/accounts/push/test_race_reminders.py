"""Reminders of the race of the day: switched on per start, sent once when the doors open, and never late."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from accounts.models import RaceReminder, User
from accounts.push import race_reminders
from accounts.push.race_reminders import next_due, remind_due
from accounts.sign_in.guests import create_guest
from games.races import heats, seats
from games.races.models import Entrant, Race
from tests.accounts.conftest import SignIn, exported
from tests.accounts.push.browsers import ADDRESS, Browser, Service, turn_on
from tests.games.races.runs import Run

pytestmark = pytest.mark.django_db
PAGE = "/races/daily/"
SETTINGS = "/players/me/settings/"
EVENING = datetime(2026, 12, 4, 19, tzinfo=UTC)
MORNING = EVENING.replace(hour=7)
DAY = timedelta(days=1)


def switch(hour: int) -> str:
    return f"{ADDRESS}race/{hour}/"


def at(start: datetime, minutes: float = 10) -> Callable[[], datetime]:
    """Return a clock that shows the time this many minutes before a start."""
    return lambda: start - timedelta(minutes=minutes)


def schedule(player: User, *hours: int) -> None:
    for hour in hours:
        race_reminders.schedule(player, hour, MORNING - timedelta(hours=3))


@pytest.fixture
def browser(mine: Client, user: User) -> Browser:
    """A browser whose player is reminded of the evening's race."""
    browser = turn_on(mine, hour=None)
    schedule(user, 19)
    return browser


def is_on(client: Client, page: str, hour: int) -> bool:
    text = client.get(page).content.decode()
    return "checked" in text.partition(f'data-race="{switch(hour)}"')[2].partition(">")[0]


@pytest.mark.parametrize("page", [PAGE, SETTINGS])
def test_each_start_is_switched_on_and_off(mine: Client, user: User, page: str) -> None:
    turn_on(mine)
    assert mine.post(switch(19)).json() == {"on": True}
    assert mine.post(switch(19)).json() == {"on": True}
    assert [is_on(mine, page, hour) for hour in (19, 7)] == [True, False]
    mine.post(switch(7))
    assert mine.delete(switch(19)).json() == {"on": False}
    assert [is_on(mine, page, hour) for hour in (19, 7)] == [False, True]
    assert race_reminders.hours_of(user) == {7}


def test_only_races_of_the_day_have_reminders(mine: Client, settings: object) -> None:
    assert mine.post(switch(11)).status_code == 404
    settings.VAPID_PRIVATE_KEY = ""  # type: ignore[attr-defined]
    assert mine.post(switch(19)).status_code == 404
    assert b"data-race" not in mine.get(PAGE).content
    assert not RaceReminder.objects.exists()


def test_guests_keep_the_calendar(client: Client, sign_in: SignIn) -> None:
    guest = sign_in(create_guest())
    assert [client.post(switch(19)).status_code, guest.post(switch(19)).status_code] == [401, 403]
    for visitor in (client, guest):
        page = visitor.get(PAGE).content
        assert b"data-race" not in page
        assert b"calendar.ics" in page


def test_it_ends_with_the_last_browser(user: User, sign_in: SignIn) -> None:
    here, there = sign_in(user), sign_in(user)
    for client in (here, there):
        turn_on(client)
    here.post(switch(19))
    here.delete(ADDRESS)
    assert is_on(here, SETTINGS, 19), "the other browser still shows it"
    there.delete(ADDRESS)
    assert not RaceReminder.objects.exists()


def test_it_says_when_the_race_starts(browser: Browser, service: Service) -> None:
    assert remind_due(service.send, at(EVENING, 10.1)) == 0
    assert remind_due(service.send, at(EVENING)) == 1
    [(_, headers, body)] = service.requests
    assert browser.read(body) == {
        "title": "Race of the day: Labyrinth",
        "body": "Starts in 10 minutes. Doors are open.",
        "path": PAGE,
        "topic": "race",
        "lang": "en-gb",
    }
    assert (headers["TTL"], headers["Topic"], headers["Urgency"]) == ("585", "race", "normal")


@pytest.mark.parametrize(
    ("minutes", "said"), [(9.4, "Starts in 10 minutes."), (3.5, "Starts in 4 minutes."), (0.6, "Starts in 1 minute.")]
)
def test_a_delayed_one_gives_the_time_left(browser: Browser, service: Service, minutes: float, said: str) -> None:
    assert remind_due(service.send, at(EVENING, minutes)) == 1
    assert browser.read(service.requests[0][2])["body"].startswith(said)


@pytest.mark.usefixtures("browser")
@pytest.mark.parametrize("minutes", [0.25, -1, -300])
def test_once_the_doors_are_closed_it_waits_for_tomorrow(service: Service, minutes: float) -> None:
    assert remind_due(service.send, at(EVENING, minutes)) == 0
    assert RaceReminder.objects.get().due_at == at(EVENING + DAY)()


@pytest.mark.usefixtures("browser")
def test_both_starts_can_be_chosen(user: User, service: Service) -> None:
    schedule(user, 7)
    starts = (MORNING, EVENING, MORNING + DAY, EVENING + DAY)
    assert [remind_due(service.send, at(start)) for start in starts] == [1, 1, 1, 1]


@pytest.mark.usefixtures("browser")
def test_players_with_a_seat_are_not_reminded(user: User, service: Service) -> None:
    room = heats.next_room(at(EVENING, 9.9)())
    assert room is not None
    seats.sit(room.pk, user, now=at(EVENING, 9.9)())
    assert remind_due(service.send, at(EVENING, 9.8)) == 0
    assert RaceReminder.objects.get().due_at == at(EVENING + DAY)()


@pytest.mark.usefixtures("browser")
@pytest.mark.parametrize(
    ("race_state", "state", "sent"),
    [("racing", "racing", 0), ("countdown", "seated", 0), ("racing", "won", 1), ("open", "seated", 1)],
)
def test_players_who_race_are_not_reminded(
    user: User, service: Service, race_state: str, state: str, sent: int
) -> None:
    run = Run.of(2, players=[user, create_guest()])
    run.host_starts()
    Race.objects.filter(pk=run.race.pk).update(state=race_state)
    Entrant.objects.filter(player=user).update(state=state)
    assert remind_due(service.send, at(EVENING)) == sent


@pytest.mark.django_db(transaction=True)  # the export is read in other threads
def test_the_export_includes_it(user: User) -> None:
    schedule(user, 7, 19)
    assert exported(user)["race_reminders"] == [{"hour": 7}, {"hour": 19}]


@pytest.mark.parametrize(
    ("hour", "now", "due"),
    [
        (19, at(EVENING, 10.1)(), at(EVENING)()),
        (19, at(EVENING)(), at(EVENING + DAY)()),
        (7, at(EVENING)(), at(MORNING + DAY)()),
    ],
)
def test_it_is_due_when_the_doors_open(hour: int, now: datetime, due: datetime) -> None:
    assert next_due(hour, now) == due
