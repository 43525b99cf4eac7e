"""Push reminders: opt-in, at most one a day, encrypted, and removed with the session, player or endpoint."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from http.client import HTTPConnection
from threading import Event
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlsafe_base64_encode
from py_vapid import Vapid02

from accounts.lifecycle.bans import ban_player
from accounts.lifecycle.erasure import erase_player
from accounts.models import DailyReminder, PushDevice, User
from accounts.push import devices, dispatch, reminders, vapid_key
from accounts.push.delivery import DeliveryOutcome, Message, send
from accounts.push.reminders import next_due, remind_due
from accounts.sign_in.guests import create_guest
from accounts.sign_in.session_end import SessionsAdapter
from accounts.tasks import clean_accounts
from games.core.https_client import Connect
from games.db.players import WinStreaks
from tests.accounts.conftest import PASSWORD, MakeAttempt, MakeUser, SignIn, exported
from tests.accounts.push.browsers import ADDRESS, HOUR, Browser, Service, post, turn_on
from tests.factories import make_deal

pytestmark = pytest.mark.django_db
SETTINGS = "/players/me/settings/"


@pytest.fixture
def today() -> date:
    return timezone.now().date()


def at(day: date, hour: int = HOUR, minute: int = 0) -> Callable[[], datetime]:
    return lambda: datetime.combine(day, time(hour, minute), UTC)


def midnight_after(day: date) -> int:
    return int(at(day + timedelta(days=1), 0)().timestamp() * 1000)


def make_due(day: date) -> None:
    DailyReminder.objects.update(due_at=at(day)())


@pytest.fixture
def browser(mine: Client, today: date) -> Browser:
    """A browser whose player's reminder is due at noon."""
    browser = turn_on(mine)
    make_due(today)
    return browser


def test_without_a_key_the_feature_is_hidden(user: User, sign_in: SignIn, settings: Any) -> None:
    settings.VAPID_PRIVATE_KEY = ""
    client = sign_in(user)
    assert b"push-on" not in client.get(SETTINGS).content
    assert b"Reminders in the browser" not in client.get("/privacy/").content
    assert post(client, Browser().subscription()).status_code == 404
    assert remind_due() == 0


def test_it_is_switched_on_and_off_per_browser(user: User, sign_in: SignIn) -> None:
    here, there = sign_in(user), sign_in(user)
    assert b"data-here" not in here.get(SETTINGS).content
    turn_on(here)
    turn_on(there, hour=7, zone="Europe/Berlin")
    page = here.get(SETTINGS).content.decode()
    assert "data-here" in page
    assert f'data-key="{vapid_key.public_key()}"' in page
    assert '<option value="7" selected>' in page.partition('id="push-hour"')[2].partition("</select>")[0]
    assert "Reminders in the browser" in here.get("/privacy/").content.decode()
    assert here.delete(ADDRESS).json() == {"on": False, "others": 1}
    assert b"data-here" not in here.get(SETTINGS).content
    assert b"data-here" in there.get(SETTINGS).content
    assert PushDevice.objects.count() == 1
    assert there.delete(ADDRESS).json() == {"on": False, "others": 0}
    assert not DailyReminder.objects.exists()


def test_a_browser_can_be_on_without_a_daily_reminder(mine: Client) -> None:
    post(mine, browser := Browser().subscription(hour=None))
    assert not DailyReminder.objects.exists()
    page = mine.get(SETTINGS).content.decode()
    assert "data-here" in page
    assert '<option value="18" selected>' not in page.partition('id="push-hour"')[2].partition("</select>")[0]
    post(mine, {**browser, "hour": HOUR})
    post(mine, {key: value for key, value in browser.items() if key not in {"hour", "zone"}})
    assert DailyReminder.objects.get().hour == HOUR, "it stays if the hour is not sent"
    post(mine, browser)
    assert not DailyReminder.objects.exists()


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://fcm.googleapis.com/a",
        "https://127.0.0.1/a",
        "https://localhost/a",
        "https://[::1]/a",
        "https://evil.example/fcm.googleapis.com/a",
        "https://fcm.googleapis.com.evil.example/a",
        "https://evilfcm.googleapis.com/a",
        "https://.fcm.googleapis.com/a",
        "https://a..fcm.googleapis.com/a",
        f"https://{'a' * 64}.fcm.googleapis.com/a",
        "https://fcm.googleapis.com:8443/a",
        "https://fcm.googleapis.com@127.0.0.1/a",
        "https://fcm.googleapis.com/a b",
        "https://fcm.googleapis.com/a\r\nHost: b",
        "https://fcm.googleapis.com/" + "a" * 1000,
        "",
    ],
)
def test_only_known_push_services_are_called(user: User, sign_in: SignIn, endpoint: str) -> None:
    assert post(sign_in(user), Browser().subscription(endpoint=endpoint)).status_code == 400
    assert not PushDevice.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"p256dh": urlsafe_base64_encode(b"\4" + bytes(64))},
        {"p256dh": "é"},
        {"p256dh": None},
        {"auth": urlsafe_base64_encode(bytes(15))},
        {"hour": 24},
        {"hour": "7"},
        {"hour": True},
        {"zone": "Atlantis/Capital"},
        {"zone": "../../etc/passwd"},
        {"zone": "Europe"},
        {"zone": "A" * 65 + "/UTC"},
        {"zone": ""},
        {"zone": None},
    ],
)
def test_an_invalid_subscription_is_refused(user: User, sign_in: SignIn, wrong: dict[str, object]) -> None:
    client = sign_in(user)
    assert post(client, Browser().subscription(**wrong)).status_code == 400
    assert post(client, []).status_code == 400
    assert not PushDevice.objects.exists()


def test_guests_and_visitors_cannot_subscribe(client: Client, sign_in: SignIn) -> None:
    assert post(client, Browser().subscription()).status_code == 401
    guest = sign_in(create_guest())
    assert post(guest, Browser().subscription()).status_code == 403
    assert b"push-on" not in guest.get(SETTINGS).content


def test_a_reminder_is_encrypted_signed_and_translated(
    user: User, browser: Browser, service: Service, today: date, monkeypatch: pytest.MonkeyPatch
) -> None:
    user.preferences = {"language": "de"}
    user.save()
    monkeypatch.setattr(reminders, "current_streaks", lambda *_: WinStreaks(3, 0))
    tomorrow = today + timedelta(days=1)
    monkeypatch.setattr(reminders, "todays_game", {today: "stonewall", tomorrow: "braid"}.get)
    assert remind_due(service.send, at(today)) == 1
    [(path, headers, body)] = service.requests
    assert path == browser.endpoint.removeprefix("https://fcm.googleapis.com")
    assert browser.read(body) == {
        "title": "Spiel des Tages: Steinmauer",
        "body": "Deine Serie: 3 Tage. Gewinn heute, dann geht sie weiter.",
        "path": "/",
        "days": [
            ["Spiel des Tages: Steinmauer", midnight_after(today)],
            ["Spiel des Tages: Zopf", midnight_after(tomorrow)],
        ],
        "until": "Offen bis {time}.",
        "topic": "day",
        "lang": "de",
    }
    assert (headers["TTL"], headers["Content-Encoding"]) == ("43200", "aes128gcm")
    assert (headers["Topic"], headers["Urgency"]) == ("day", "normal")
    assert Vapid02.verify(headers["Authorization"])
    assert headers["Authorization"].endswith(f"k={vapid_key.public_key()}")


def test_without_a_streak_it_uses_the_browsers_language(browser: Browser, service: Service, today: date) -> None:
    remind_due(service.send, at(today))
    said = browser.read(service.requests[0][2])
    assert (said["lang"], said["body"]) == (
        "en-gb",
        "The same cards for everyone. New games every day.",
    )


@pytest.mark.usefixtures("browser")
@pytest.mark.parametrize(("status", "left"), [(404, 0), (410, 0), (307, 1), (429, 1), (500, 1)])
def test_an_expired_endpoint_is_deleted_and_redirects_ignored(
    service: Service, today: date, status: int, left: int
) -> None:
    service.status = status
    assert remind_due(service.send, at(today)) == 0
    assert len(service.requests) == 1
    assert PushDevice.objects.count() == left


def test_a_service_no_longer_allowed_is_not_called(browser: Browser, settings: Any) -> None:
    settings.PUSH_SERVICES = ["push.example"]

    def never(host: str) -> HTTPConnection:
        raise AssertionError(host)

    connect: Connect = never
    assert send(Message(PushDevice(endpoint=browser.endpoint), b"", 60, "day"), connect) is DeliveryOutcome.GONE


def test_a_player_is_reminded_once_a_day(user: User, browser: Browser, service: Service, today: date) -> None:
    both = [DailyReminder.objects.select_related("player").get() for _ in range(2)]
    now = at(today)()
    sent = [list(dispatch._claimed(reminder, reminders._plan, now)) for reminder in both]  # two processes at once
    assert [len(messages) for messages in sent] == [1, 0]
    # The process that was to send it died, and the task runs again.
    assert remind_due(service.send, at(today, HOUR + 1)) == 0
    DailyReminder.objects.update(due_at=at(today, HOUR + 1)())  # the hour was changed during the sending
    assert remind_due(service.send, at(today, HOUR + 1)) == 0
    # A later hour of the same day applies from the next day on.
    reminders.choose(user, HOUR + 2, "UTC", at(today, HOUR + 1)())
    assert remind_due(service.send, at(today, HOUR + 2)) == 0
    assert remind_due(service.send, at(today + timedelta(days=1), HOUR + 2)) == 1
    assert browser.read(service.requests[0][2])["title"]


@pytest.mark.usefixtures("browser")
def test_players_who_have_started_today_are_not_reminded(
    user: User, service: Service, today: date, make_attempt: MakeAttempt
) -> None:
    make_attempt(user, make_deal(day=today))
    assert remind_due(service.send, at(today)) == 0
    tomorrow = today + timedelta(days=1)
    assert DailyReminder.objects.get().due_at == at(tomorrow)()
    assert remind_due(service.send, at(tomorrow)) == 1


@pytest.mark.usefixtures("browser")
def test_practice_and_other_days_do_not_count(
    user: User, service: Service, today: date, make_attempt: MakeAttempt
) -> None:
    make_attempt(user, make_deal(practice=True))
    make_attempt(user, make_deal(day=today - timedelta(days=1)))
    assert remind_due(service.send, at(today)) == 1


@pytest.mark.usefixtures("browser")
def test_a_late_reminder_waits_for_the_next_day(service: Service, today: date) -> None:
    assert remind_due(service.send, at(today, HOUR + 2, 1)) == 0
    assert DailyReminder.objects.get().due_at == at(today + timedelta(days=1))()


def test_reminders_are_sent_in_batches(make_user: MakeUser, sign_in: SignIn, service: Service, today: date) -> None:
    for _ in range(dispatch._BATCH + 3):
        turn_on(sign_in(make_user()))
    make_due(today)
    assert remind_due(service.send, at(today)) == dispatch._BATCH + 3
    assert remind_due(service.send, at(today)) == 0


@pytest.mark.usefixtures("browser")
def test_a_hanging_service_delays_no_other(today: date, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "_PATIENCE", 0.0)
    answers = Event()

    def hangs(_message: Message) -> DeliveryOutcome:
        answers.wait()
        return DeliveryOutcome.GONE

    assert remind_due(hangs, at(today)) == 0
    answers.set()
    assert PushDevice.objects.count() == 1


def sign_out(client: Client, _player: User) -> None:
    client.post(reverse("account_logout"))


def end_elsewhere(client: Client, player: User) -> None:
    key = client.session.session_key
    session = UserSession.objects.create(user=player, ip="127.0.0.1", session_key=key, user_agent="")
    SessionsAdapter().end_sessions([session])


def change_password_elsewhere(_client: Client, player: User) -> None:
    other = Client()
    other.post("/accounts/login/", {"login": player.username, "password": PASSWORD})
    new = "eight of cups"
    form = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    assert other.post(reverse("account_change_password"), form).status_code == 302
    player.refresh_from_db()
    assert player.check_password(new)


def be_banned(_client: Client, player: User) -> None:
    ban_player(player)


def be_erased(_client: Client, player: User) -> None:
    erase_player(player)
    assert not DailyReminder.objects.exists()


def lose_the_session(_client: Client, _player: User) -> None:
    Session.objects.all().delete()
    PushDevice.objects.update(made_at=timezone.now() - timedelta(days=2))
    clean_accounts()


@pytest.mark.usefixtures("browser")
@pytest.mark.parametrize(
    "end", [sign_out, end_elsewhere, change_password_elsewhere, be_banned, be_erased, lose_the_session]
)
def test_it_ends_with_the_session(
    user: User, mine: Client, today: date, service: Service, end: Callable[[Client, User], None]
) -> None:
    end(mine, user)
    assert not PushDevice.objects.exists()
    assert remind_due(service.send, at(today)) == 0
    assert not DailyReminder.objects.exists()  # without a browser there is nothing to send


@pytest.mark.usefixtures("browser")
def test_an_expired_session_is_not_reminded(today: date, service: Service) -> None:
    Session.objects.update(expire_date=timezone.now() - timedelta(minutes=1))
    assert remind_due(service.send, at(today)) == 0


def test_a_new_password_keeps_this_browsers_reminders(user: User, today: date, service: Service) -> None:
    client = Client()
    client.post("/accounts/login/", {"login": user.username, "password": PASSWORD})
    turn_on(client)
    make_due(today)
    new = "eight of cups"
    client.post(reverse("account_change_password"), {"oldpassword": PASSWORD, "password1": new, "password2": new})
    assert b"data-here" in client.get(SETTINGS).content
    assert remind_due(service.send, at(today)) == 1


RENEWED = "/players/push/renewed/"


def renew(old: Any, browser: Browser) -> Any:
    """Renew a subscription as a service worker does, without session or token."""
    body = browser.subscription(old=old)
    return Client(enforce_csrf_checks=True).post(RENEWED, json.dumps(body), content_type="application/json")


def test_a_renewed_endpoint_gets_the_reminders(user: User, browser: Browser, service: Service, today: date) -> None:
    other = Browser()
    assert renew(browser.endpoint, other).json() == {"on": True}
    assert PushDevice.objects.get().endpoint == other.endpoint
    assert remind_due(service.send, at(today)) == 1
    assert other.read(service.requests[0][2])["title"]
    assert renew(other.endpoint, other).json() == {"on": True}, "only the keys may change"


def test_a_guessed_endpoint_changes_nothing(browser: Browser, make_user: MakeUser, sign_in: SignIn) -> None:
    theirs = turn_on(sign_in(make_user()))
    for guess in ("", "https://fcm.googleapis.com/fcm/send/guess"):
        assert renew(guess, Browser()).status_code == 404
    assert renew("https://fcm.googleapis.com/fcm/send/guess", theirs).status_code == 404
    bad = browser.subscription(old=browser.endpoint, endpoint="https://evil.example/send/")
    assert Client().post(RENEWED, json.dumps(bad), content_type="application/json").status_code == 400
    assert set(PushDevice.objects.values_list("endpoint", flat=True)) == {browser.endpoint, theirs.endpoint}


@pytest.mark.parametrize(
    "old",
    ["https://fcm.googleapis.com/\0", "\ud800", None, 1, ["a"]],
    ids=["zero byte", "half a character", "none", "number", "list"],
)
def test_an_unknown_old_endpoint_is_ignored(browser: Browser, old: Any) -> None:
    assert renew(old, Browser()).status_code == 404
    assert PushDevice.objects.get().endpoint == browser.endpoint


def test_a_renewal_locks_the_device_first(browser: Browser) -> None:
    """Otherwise two renewals could both read the old endpoint, and one would delete what the other has written."""
    new = Browser()
    with CaptureQueriesContext(connection) as queries:
        assert devices.renew(browser.endpoint, devices.subscription_of(new.subscription()))
    tables = [query["sql"] for query in queries if PushDevice._meta.db_table in query["sql"]]
    first = tables[0]
    assert first.startswith("SELECT")
    assert browser.endpoint in first
    assert first.endswith("FOR UPDATE") or not connection.features.has_select_for_update


def test_a_session_with_a_new_key_keeps_its_reminders(
    mine: Client, browser: Browser, service: Service, today: date, settings: Any
) -> None:
    before = mine.session.session_key
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another key, long and random enough"
    assert mine.get("/practice/").status_code == 200
    assert mine.session.session_key != before
    assert PushDevice.objects.get().session_key == mine.session.session_key
    assert remind_due(service.send, at(today)) == 1
    assert mine.get(SETTINGS).context["push"]["is_here"]


def test_a_browser_has_one_player_and_players_a_limit(make_user: MakeUser, sign_in: SignIn) -> None:
    first, second = make_user(), make_user()
    browser = Browser()
    post(sign_in(first), browser.subscription())
    theirs = sign_in(second)
    post(theirs, browser.subscription())
    post(theirs, browser.subscription(hour=3))
    assert [device.player for device in PushDevice.objects.all()] == [second]
    for _ in range(devices.MOST):
        turn_on(sign_in(second))
    assert PushDevice.objects.filter(player=second).count() == devices.MOST
    assert not PushDevice.objects.filter(endpoint=browser.endpoint).exists()


@pytest.mark.django_db(transaction=True)  # the export is read in other threads
def test_the_export_includes_it_without_the_endpoint(user: User, sign_in: SignIn) -> None:
    browser = turn_on(sign_in(user))

    document = exported(user)
    assert (document["reminders"][0]["hour"], document["reminders"][0]["zone"]) == (HOUR, "UTC")
    assert document["push_devices"][0]["service"] == "fcm.googleapis.com"
    assert browser.endpoint not in json.dumps(document)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "now", "seconds"),
    [
        ("America/Los_Angeles", "2026-11-22T07:00", 17 * 3600),
        ("Europe/London", "2026-11-22T23:00", 3600),
        ("Asia/Tokyo", "2026-11-22T14:00", 10 * 3600),
        ("Atlantic/Azores", "2026-11-22T00:00", 24 * 3600),
        ("Asia/Kathmandu", "2026-11-22T17:15", 6 * 3600 + 45 * 60),
    ],
)
def test_a_reminder_late_in_the_evening_is_of_the_game_that_is_open(
    mine: Client, service: Service, zone: str, now: str, seconds: int
) -> None:
    """It is never delivered after that game has closed, and carries when it does."""
    browser = turn_on(mine, hour=23, zone=zone)
    DailyReminder.objects.update(due_at=utc(now))
    assert remind_due(service.send, lambda: utc(now)) == 1
    [(_, headers, body)] = service.requests
    assert headers["TTL"] == str(seconds)
    assert browser.read(body)["days"][0][1] == int(utc(now).timestamp() + seconds) * 1000


@pytest.mark.parametrize(
    ("hour", "zone", "now", "told_at", "due"),
    [
        (18, "Europe/Berlin", "2026-11-22T16:59", None, "2026-11-22T17:00"),
        (18, "Europe/Berlin", "2026-11-22T17:00", None, "2026-11-23T17:00"),
        (18, "Europe/Berlin", "2026-07-01T00:00", None, "2026-07-01T16:00"),
        (18, "Europe/Berlin", "2026-11-22T12:00", "2026-11-22T07:00", "2026-11-23T17:00"),
        (8, "Pacific/Auckland", "2026-11-22T12:00", None, "2026-11-22T19:00"),
        (8, "Pacific/Auckland", "2026-11-22T12:00", "2026-11-22T11:30", "2026-11-23T19:00"),
        (2, "Europe/Berlin", "2026-03-28T12:00", None, "2026-03-29T01:00"),  # an hour skipped by the clock change
        (2, "Europe/Berlin", "2026-10-24T12:00", None, "2026-10-25T00:00"),  # an hour that occurs twice
        (2, "Europe/Berlin", "2026-10-25T00:00", "2026-10-25T00:00", "2026-10-26T01:00"),
        (9, "Atlantis/Capital", "2026-11-22T08:00", None, "2026-11-22T09:00"),
    ],
)
def test_the_hour_is_in_the_players_time_zone(hour: int, zone: str, now: str, told_at: str | None, due: str) -> None:
    assert next_due(hour, zone, utc(now), utc(told_at) if told_at else None) == utc(due)
