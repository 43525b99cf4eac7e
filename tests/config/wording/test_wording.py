"""Translatable server texts: in a made-up language every text is marked, so unmarked letters are untranslatable.

Texts by players are digits here.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any
from uuid import UUID

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core import mail
from django.template.autoreload import reset_loaders
from django.test import Client, RequestFactory
from django.utils import timezone
from django.utils.translation.trans_real import DjangoTranslation

from accounts import tasks
from accounts.models import Follow
from accounts.profile import invitations
from accounts.sign_in.guests import BACKEND, create_guest
from config.http import error_pages
from games.attempts.lifecycle import start_attempt
from games.deals.publishing import practice_deal
from games.ghosts.models import Challenge
from games.inbox import notices
from games.inbox.models import Notice
from games.models import Attempt, Deal
from games.presentation import calendar_day
from games.puzzles.models import PuzzleRun
from games.puzzles.runs import puzzle_runs
from games.races import finishing, heats, rooms, seats, starting
from games.races.models import Race, Room
from games.rules import CATALOGUE, Record
from leaderboards.boards.rank_keys import BoardScore
from leaderboards.ratings import folding
from tests import factories
from tests.config.malformed import patterns
from tests.factories import make_deal
from tests.games.races.runs import Run, at
from tests.games.races.storms import counting_room, finished_room

pytestmark = pytest.mark.django_db
PASSWORD = "seven of wands"
SPOKEN = {"aria-label", "title", "placeholder", "alt", "data-title", "data-standing"}
UNSPOKEN = {"script", "style", "svg", "code", "kbd", "textarea", "pre"}
EMPTY = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
#: Names, which are the same in every language, and addresses within the site.
SAME_EVERYWHERE = re.compile(
    r"\b(?:Talon|API|UTC|JSON)\b|\b\w+ \(bot\)|/[\w/.-]+|\btestserver\b|127\.0\.0\.1|\bexample\.com\b"
)


def forget_texts() -> None:
    reset_loaders()
    calendar_day._cell.cache_clear()


def unmarked(text: str) -> str:
    """Return the texts outside the marks that contain letters."""
    depth, outside = 0, []
    for character in text:
        depth += {"⟦": 1, "⟧": -1}.get(character, 0)
        if depth == 0 and character != "⟧":
            outside.append(character)
    rest = SAME_EVERYWHERE.sub("", "".join(outside))
    return " ".join(rest.split()) if re.search(r"[^\W\d_]", rest) else ""


class Page(HTMLParser):
    """The text of a page, visible and for screen readers."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.said: list[str] = []
        self._silent: list[str] = []
        self._text: list[str] = []
        self.feed(text)
        self.said.append("".join(self._text))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.said += [given[name] for name in SPOKEN & given.keys()]
        if tag == "meta" and (given.get("name") == "description" or given.get("property") == "og:title"):
            self.said.append(given["content"])
        if tag == "input" and given.get("type") in {"submit", "button"}:
            self.said.append(given.get("value", ""))
        silent = tag in UNSPOKEN or "code" in given.get("class", "").split() or ("lang" in given and tag != "html")
        if tag not in EMPTY and (self._silent or silent):
            self._silent.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._silent and tag == self._silent[-1]:
            self._silent.pop()

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._text.append(data)


def left_out(text: str) -> list[str]:
    return [rest for said in Page(text).said if (rest := unmarked(said))]


@pytest.fixture(autouse=True)
def made_up_language(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    forget_texts()
    monkeypatch.setattr(DjangoTranslation, "gettext", lambda _, text: f"⟦{text.rpartition(chr(4))[2]}⟧", raising=False)
    monkeypatch.setattr(DjangoTranslation, "ngettext", lambda _, one, more, n: f"⟦{one if n == 1 else more}⟧")
    yield
    forget_texts()


@dataclass
class World:
    account: Any
    guest: Any
    past: Deal
    attempts: list[Attempt]
    rooms: list[Room]
    """A room with a finished and a coming race, one for each other access, and a closed one."""
    challenges: list[Challenge]


@pytest.fixture
def world() -> World:
    numbers = itertools.count(1001)
    account = get_user_model().objects.create_user("1000", password=PASSWORD, email="1@2.de", display_name="1000")
    guest = create_guest()
    guest.display_name = "2000"
    guest.save()
    today = timezone.now().date()
    past = make_deal("plot", day=today - timedelta(days=3))
    past.par, past.proven, past.grade = 30, True, 3
    past.save()
    deals = [make_deal(variant, day=today) for variant in CATALOGUE]
    others = [get_user_model().objects.create_user(str(next(numbers)), display_name=str(next(numbers))) for _ in "1234"]
    for other, deal in itertools.product(others, (past, deals[0])):
        factories.listed(deal, BoardScore(20 + deal.pk % 7, 1000 * other.pk, 40), who=other)
    for deal in (past, deals[0]):
        played = factories.record_of(deal, factories.line(deal)).to_bytes()
        Attempt.objects.filter(deal=deal, player__in=others).update(record=played)
    Follow.objects.create(follower=account, followed=others[0])
    states = ("verified", "verified", "pending", "review", "rejected")
    attempts = [factories.finished(deal, account, state=s) for deal, s in zip([past, *deals], states, strict=False)]
    Attempt.objects.filter(player=account).update(cards_up=5, elapsed_ms=9000, tokens=30)
    attempts.append(start_attempt(account, deals[5]))
    attempts.append(start_attempt(account, practice_deal("braid", {"direction": "either", "redeals": 3})))
    attempts.append(start_attempt(guest, deals[5]))
    codes = [raced(account, others[0], guest), *other_rooms(account, others[1])]
    codes += [finished_room(account, guest), counting_room(guest, others[2])]
    return World(account, guest, past, attempts, codes, challenged(account, others[0], past))


def raced(*players: Any) -> Room:
    """Create a room with a finished rated race: the first has won, the second has resigned, the others timed out."""
    run = Run.of(len(players), players=players, public=True)
    run.host_starts()
    run.easy()
    starting.start_racing(at(15))
    starting.mark_dealt(run.attempt_ids, at(15.1))
    run.play(0)
    run.resign(1, 20)
    for place in range(2, len(players)):
        run.resign(place, 30)
    run.judge()
    Race.objects.filter(pk=run.race.pk).update(rated=True)
    finishing.settle_done(run.race.pk, timezone.now())  # runs after a commit, and nothing is committed here
    finishing.finish(run.race.pk, timezone.now())
    Deal.objects.filter(races=run.race).update(revealed_at=timezone.now())
    folding.rate_finished()
    return run.room


def other_rooms(account: Any, other: Any) -> list[Room]:
    """Create a room where the account waits, one it was kicked from, and a closed one."""
    own = rooms.open_room(account, "plot", public=True, limit_s=300, seats=4)
    seats.sit(own.pk, account)
    barred, closed = (rooms.open_room(other, "plot", public=False, limit_s=300, seats=4) for _ in "12")
    Room.objects.filter(pk=barred.pk).update(kicked=[account.pk])
    rooms.close(closed)
    heats.next_room()
    return [own, barred, closed]


def challenged(account: Any, friend: Any, past: Deal) -> list[Challenge]:
    """Create a challenge of the account's and one of the friend's, with notices of every kind."""
    theirs, mine = (
        Challenge.objects.create(
            sender=sender, attempt=Attempt.objects.filter(player=sender, deal=past)[0], made_at=timezone.now()
        )
        for sender in (friend, account)
    )
    notices.put(account.pk, Notice.Kind.CHALLENGED, {"player": friend.pk, "challenge": theirs.code})
    for own, outcome in itertools.product((True, False), ("won", "lost", "even", "rejected")):
        if own or outcome != "rejected":
            told = {"player": friend.pk, "challenge": theirs.code, "own": own, "outcome": outcome}
            notices.put(account.pk, Notice.Kind.ANSWERED, told)
    notices.put(account.pk, Notice.Kind.JOINED, {"player": friend.pk, "address": "/races/"})
    notices.put(account.pk, Notice.Kind.RATING_MOVED, {"before": 1500, "after": 1490})
    return [theirs, mine]


def addresses(world: World) -> Iterator[str]:
    """Yield every address of the site except the admin's and the API's, which are in English only."""
    fillings: dict[str, list[Any]] = {
        "variant": [world.past.variant],
        "attempt": [attempt.public_id for attempt in world.attempts],
        "day": [world.past.day],
        "month": [world.past.day],
        "game": ["braid", "labyrinth", "tarot", "plot", "stonewall"],
        "period": ["nine", "week", "month", "all"],
        "token": ["0", invitations.token_of(world.account)],
        "digest": ["guest"],
        "other_id": [world.challenges[0].sender.public_id],
        "public_id": [world.account.public_id, world.guest.public_id],
        "language": ["de"],
        "key": ["1-2"],
        "code": [*(room.code for room in world.rooms), *(one.code for one in world.challenges)],
        "number": [1],
        "kind": ["storm", "streak"],
        "run": list(runs(world.account.pk)),
        "hour": [19],
        "deal": [world.past.pk, world.attempts[-2].deal_id],
        "uidb36": ["1"],
        "pk": [1],
    }
    for route, pattern in patterns():
        if route.startswith(("admin/", "api/v1/")):
            continue
        names = list(pattern.pattern.converters) or list(getattr(pattern.pattern, "regex", re.compile("")).groupindex)
        for values in itertools.product(*(fillings[name] for name in names)):
            yield _filled(route, dict(zip(names, values, strict=True)))
    board = f"/boards/{world.past.day}/plot/"
    yield from (f"{board}?board=fewest", f"{board}?who=friends", "/boards/week/?variant=plot&who=friends")


def runs(player: int) -> Iterator[UUID]:
    """Yield the ids of runs of each kind, one that is over and one that has not begun."""
    for kind, begun_at in itertools.product(("storm", "streak"), (timezone.now() - timedelta(days=1), None)):
        run = puzzle_runs.begin(player, kind)
        played = {"solved": 2, "missed": run.puzzles[:2]} if begun_at else {}
        PuzzleRun.objects.filter(pk=run.pk).update(begun_at=begun_at, **played)
        yield run.public_id


def _filled(route: str, values: dict[str, Any]) -> str:
    for name, value in values.items():
        written = f"{value:%Y-%m}" if name == "month" else str(value)
        route = re.sub(rf"<(?:\w+:)?{name}>|\(\?P<{name}>(?:\[[^\]]*\]|[^)])*\)", written, route)
    return "/" + route.replace("^", "").replace("$", "")


def browsers(world: World) -> dict[str, Client]:
    nobody, guest, account = Client(), Client(), Client()
    guest.force_login(world.guest, backend=BACKEND)
    account.force_login(world.account, backend=BACKEND)
    return {"nobody": nobody, "guest": guest, "account": account}


def test_every_page_is_translated(world: World) -> None:
    found: dict[str, list[str]] = {}
    pages: list[str] = []
    for who, browser in browsers(world).items():
        for address in sorted(addresses(world)):
            if who == "account" and address.startswith("/accounts/2fa/") and address.count("/") == 4:
                browser.post("/accounts/reauthenticate/", {"password": PASSWORD})
            response = browser.get(address)
            if response["Content-Type"].startswith("text/html") and response.status_code < 500:
                pages += [address] if response.status_code == 200 else []
                if rest := left_out(response.content.decode()):
                    found[f"{who} {address}"] = rest
    assert len(pages) > 60
    assert set(pages_of_races(world)) <= set(pages)
    assert found == {}


def pages_of_races(world: World) -> Iterator[str]:
    """Yield pages that exist only with races and challenges."""
    over, own = world.rooms[0].code, world.rooms[1].code
    yield from (f"/races/{code}/" for code in (over, own))
    yield from (f"/races/{world.rooms[-2].code}/1/", f"/races/{world.rooms[-1].code}/1/puzzles/")
    yield from (f"/races/{over}/1/", f"/races/{over}/1/replay/", "/races/mine/", "/races/heats/", "/inbox/")
    yield from (f"/challenge/{one.code}/" for one in world.challenges)
    yield f"/ghosts/{world.past.pk}/"


def test_pages_behind_a_second_factor_too(world: World) -> None:
    TOTP.activate(world.account, "ABCDEFGH")
    RecoveryCodes.activate(world.account)
    browser = browsers(world)["account"]
    pages = ("", "recovery-codes/", "recovery-codes/generate/", "totp/deactivate/", "webauthn/", "webauthn/add/")
    for address in pages:
        browser.post("/accounts/reauthenticate/", {"password": PASSWORD})
        assert left_out(browser.get(f"/accounts/2fa/{address}").content.decode()) == [], address


def record(world: World, **changes: Any) -> str:
    attempt = world.attempts[0]
    return json.dumps(Record.from_bytes(bytes(attempt.record or b"")).to_json() | changes)


CHOICES = {"language": "browser", "theme": "dark", "table": "red", "back": "plain", "motion": "full"}
FORMS: list[tuple[str, str, dict[str, Any]]] = [
    ("nobody", "/accounts/login/", {"login": "1000", "password": "wrong"}),
    ("nobody", "/accounts/login/", {"login": "1@2.de", "password": "wrong"}),
    ("nobody", "/accounts/login/", {}),
    ("nobody", "/accounts/signup/", {}),
    ("nobody", "/accounts/signup/", {"username": "1000", "email": "1", "password1": "1"}),
    ("nobody", "/accounts/signup/", {"username": "admin", "email": "1@2.de", "password1": "1"}),
    ("nobody", "/accounts/password/reset/", {"email": "1"}),
    ("account", "/players/me/settings/", {"theme": "1"}),
    ("account", "/players/me/settings/", CHOICES),
    ("account", "/players/me/name/", {"name": "1"}),
    ("account", "/players/me/name/", {"name": "1001"}),
    ("account", "/players/me/name/", {"name": "1!"}),
    ("account", "/players/me/name/", {"name": "3000"}),
    ("guest", "/players/me/delete/", {"name": "1"}),
    ("account", "/practice/start", {"name": "1"}),
    ("account", "/practice/start", {"deal": "999999"}),
    ("account", "/verify/", {"record": "{"}),
    ("account", "/verify/", {"record": "{}"}),
    ("account", "/verify/", {"record": "ok"}),
    ("account", "/verify/", {"record": "wrong"}),
    ("account", "/accounts/email/", {"email": "1", "action_add": "1"}),
    ("account", "/accounts/password/change/", {"oldpassword": "1", "password1": "1", "password2": "2"}),
    ("account", "/accounts/logout/", {}),
    ("account", "/nowhere/", {}),
    ("guest", "/players/me/delete/", {"name": "2000"}),
]  # fmt: skip


def test_answers_to_forms_are_translated(world: World) -> None:
    found = {}
    for who, address, given in FORMS:
        fields = dict(given)
        if fields.get("record") == "ok":
            fields["record"] = record(world)
        elif fields.get("record") == "wrong":
            fields["record"] = record(world, tokens=["f0-f"], clock=[1])
        response = browsers(world)[who].post(address, fields, follow=True)
        if rest := left_out(response.content.decode()):
            found[f"{who} {address} {fields}"] = rest
    assert found == {}


def test_error_pages_are_translated() -> None:
    request = RequestFactory().get("/")
    for handler in (
        error_pages.bad_request,
        error_pages.permission_denied,
        error_pages.not_found,
        error_pages.server_error,
    ):
        assert left_out(handler(request).content.decode()) == []
    assert left_out(error_pages.csrf_failure(request).content.decode()) == []


def test_mail_is_translated(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = browsers(world)["account"]
    EmailAddress.objects.create(user=world.account, email="1@2.de", verified=True, primary=True)
    browser.post("/accounts/email/", {"email": "2@3.de", "action_add": "1"})
    browser.post("/accounts/password/change/", {"oldpassword": PASSWORD, "password1": "x" * 20, "password2": "x" * 20})
    monkeypatch.setattr("accounts.forms.request_task", lambda _, *args: tasks.send_reset_mail.run(*args) or True)
    Client().post("/accounts/password/reset/", {"email": "1@2.de"})
    assert len(mail.outbox) == 2
    for message in mail.outbox:
        links = re.sub(r"https?://\S+", "", f"{message.subject}\n{message.body}")
        assert unmarked(links) == ""


def test_dates_follow_the_languages_formats() -> None:
    root = settings.BASE_DIR / "frontend" / "templates"
    for path in root.rglob("*.html"):
        formats = set(re.findall(r'date:"([^"]+)"', path.read_text()))
        assert not {one for one in formats if not one.endswith("_FORMAT")} - {"Y-m-d", "Y-m", "c", "D", "l"}, path
