"""Results: standing and group of entrants, and the standings of a heat."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.lifecycle.erasure import erase_player
from accounts.models import User
from accounts.sign_in.guests import BACKEND, create_guest, merge_guest
from games.core.ladders import Ladder
from games.core.retention import remove_aged
from games.fairplay.account_links import COOKIE, KEPT
from games.models import Deal, Start
from games.races import housekeeping, origins, rooms, starting
from games.races.models import Entrant, Race, RaceOrigin
from games.races.results import heat_standings
from games.races.results.entrant_facts import REGULAR_DAYS, missing_facts, store_facts
from games.races.results.places import heat_points, placed
from games.rules import Score
from leaderboards.models import ProvisionalChange
from leaderboards.ratings import folding
from tests import factories
from tests.factories import NOON, make_account, make_deal
from tests.games.races.finished_races import heat, race_of
from tests.games.races.runs import T0, Run
from tests.leaderboards import raced

pytestmark = pytest.mark.django_db

Standing = Entrant.Standing
DAY = timedelta(days=1)


def facts(race: Race) -> list[tuple[int, int]]:
    found = missing_facts([race.pk])
    return [(found[pk].standing, found[pk].group) for pk in sorted(found)]


def daily(who: Any, *, ladder: Ladder = Ladder.NEWCOMERS, **fields: Any) -> Any:
    settings: Any = {"state": "verified", "verified_at": NOON - DAY, "real_play": True} | fields
    deal = Deal.objects.filter(day=factories.DAY).first() or make_deal("plot", factories.DAY)
    return factories.finished(deal, who, ladder=ladder, started_at=NOON - DAY, **settings)


def test_standing_depends_on_daily_games_before_the_start(settings: Any) -> None:
    settings.LADDERS = True
    who = [make_account() for _ in range(6)] + [make_account(is_guest=True)]
    daily(who[1])
    daily(who[2], ladder=Ladder.ESTABLISHED)
    daily(who[3], verified_at=NOON + timedelta(minutes=1))
    daily(who[4], state="review")
    daily(who[5], real_play=False)
    daily(who[6], ladder=Ladder.ESTABLISHED)
    race = raced.race(who)
    assert [standing for standing, _group in facts(race)] == [
        Standing.NEW, Standing.PLAYED, Standing.ESTABLISHED, Standing.NEW, Standing.NEW, Standing.NEW, Standing.NEW,
    ]  # fmt: skip


def dailies(who: Any, days: int, *, first: int = 1, ladder: Ladder = Ladder.ESTABLISHED) -> None:
    """Create a daily game on each of that many days, the last one `first` days before the race."""
    for ago in range(first, first + days):
        day, at = factories.DAY - ago * DAY, NOON - ago * DAY
        deal = Deal.objects.filter(day=day).first() or make_deal("plot", day)
        state: Any = {"state": "verified", "verified_at": at, "real_play": True}
        factories.finished(deal, who, ladder=ladder, started_at=at, **state)


def test_a_regular_has_played_on_ten_of_ninety_days(settings: Any) -> None:
    settings.LADDERS = True
    who = [make_account() for _ in range(4)]
    dailies(who[0], REGULAR_DAYS)
    dailies(who[1], REGULAR_DAYS - 1)
    dailies(who[2], REGULAR_DAYS, first=91 - REGULAR_DAYS + 1)
    dailies(who[3], REGULAR_DAYS, ladder=Ladder.NEWCOMERS)
    race = raced.race(who)
    expected = [Standing.REGULAR, Standing.ESTABLISHED, Standing.ESTABLISHED, Standing.PLAYED]
    assert [standing for standing, _group in facts(race)] == expected
    settings.LADDERS = False
    assert [standing for standing, _group in facts(race)] == [Standing.REGULAR] * 3 + [Standing.PLAYED]


def test_devices_link_for_a_month_and_networks_for_a_day() -> None:
    who = [make_account() for _ in range(8)]
    device = uuid.uuid4()
    origins.record(who[0].pk, device, "unknown", NOON - 29 * DAY)
    attempt = daily(who[1])
    Start.objects.create(attempt=attempt, deal=attempt.deal, device=device, network=b"", made_at=attempt.started_at)
    origins.record(who[2].pk, None, "192.0.2.0/24", NOON - timedelta(hours=1))
    origins.record(who[3].pk, uuid.uuid4(), "192.0.2.0/24", NOON)
    origins.record(who[4].pk, None, "192.0.2.0/24", NOON - timedelta(hours=25))
    origins.record(who[5].pk, device, "unknown", NOON - 31 * DAY)
    origins.record(who[6].pk, device, "unknown", NOON + timedelta(minutes=1))
    origins.record(who[7].pk, None, "unknown", NOON)
    assert [group for _standing, group in facts(raced.race(who))] == [1, 1, 2, 2, 0, 0, 0, 0]


def test_links_add_up() -> None:
    who = [make_account() for _ in range(3)]
    device = uuid.uuid4()
    origins.record(who[0].pk, device, "192.0.2.0/24", NOON)
    origins.record(who[1].pk, device, "198.51.100.0/24", NOON)
    origins.record(who[2].pk, uuid.uuid4(), "198.51.100.0/24", NOON)
    assert [group for _standing, group in facts(raced.race(who))] == [1, 1, 1]


def test_stored_facts_never_change() -> None:
    who = [make_account(), make_account()]
    race = raced.race(who)
    store_facts(missing_facts([race.pk]))
    for one in who:
        daily(one)
        origins.record(one.pk, None, "192.0.2.0/24", NOON)
    assert missing_facts([race.pk]) == {}
    assert set(race.entrants.values_list("standing", "link_group")) == {(Standing.NEW, 0)}


def test_linked_players_are_rated_only_against_others_forever() -> None:
    who = [make_account() for _ in range(3)]
    for one in who[:2]:
        origins.record(one.pk, None, "192.0.2.0/24", NOON)
    race = raced.race(who[:2])
    later = raced.race(who, at=NOON + timedelta(minutes=9))
    folding.rate_finished()
    before = raced.stored()
    assert set(ProvisionalChange.objects.values_list("race", "player")) == {(later.pk, one.pk) for one in who}
    RaceOrigin.objects.all().delete()
    folding.refold(race.pk)
    assert raced.stored() == before


def test_only_linked_players_are_told(client: Client) -> None:
    who = [make_account() for _ in range(3)]
    for one in who[:2]:
        origins.record(one.pk, None, "192.0.2.0/24", NOON)
    race = raced.race(who)
    folding.rate_finished()
    shown = []
    viewers: list[User | None] = [*who, None]
    for viewer in viewers:
        if viewer is not None:
            client.force_login(viewer, backend=BACKEND)
        else:
            client.logout()
        page = client.get(f"/races/{race.room.code}/{race.number}/").content.decode()
        shown.append("on the same device or network" in page)
    assert shown == [True, True, False, False]


def test_new_players_give_no_points_in_a_heat() -> None:
    scores = {n: Score("retired", 10 - n, 1000, 10) for n in range(4)}
    assert list(heat_points(scores, placed(scores), {1, 3}).values()) == [2, 2, 1, 1]


def test_a_countdown_stores_facts_and_its_cancelling_clears_them() -> None:
    run = Run.of(2, players=[make_account(), make_account(is_guest=True)])
    run.host_starts()
    assert run.race.state == Race.State.COUNTDOWN
    entrants = run.race.entrants.order_by("pk").values_list("standing", "link_group", "as_guest")
    assert list(entrants.all()) == [(Standing.NEW, 0, False), (Standing.NEW, 0, True)]
    assert starting.cancel_start(run.room.pk, T0)
    assert set(entrants.all()) == {(None, None, False)}


@pytest.mark.parametrize(
    "leave", [erase_player, lambda guest: merge_guest(guest, make_account())], ids=["deleted", "signed in"]
)
def test_a_new_guest_gives_no_points_in_whatever_way_it_leaves(leave: Callable[[Any], object]) -> None:
    run = Run.racing(3)
    Entrant.objects.filter(pk=run.entrant(2).pk).update(standing=Standing.NEW)
    guest = run.players[2]
    run.play(0)
    run.resign(2, 50)
    run.resign(1, 60)
    leave(guest)
    run.judge()
    run.tend(62)
    assert run.race.state == Race.State.FINISHED
    # The winner gets a point for the established player, and nothing for the guest.
    assert run.placed()[0] == ("won", 1, 2)


def test_only_a_seat_in_a_rated_race_stores_its_origin(client: Client) -> None:
    room = rooms.open_room(make_account(), "plot", limit_s=600, seats=4)
    client.force_login(make_account(), backend=BACKEND)
    client.post(f"/races/{room.code}/sit")
    assert Entrant.objects.filter(race__room=room).count() == 1
    assert not RaceOrigin.objects.exists()
    assert COOKIE not in client.cookies
    one = make_account()
    client.force_login(one, backend=BACKEND)
    client.post("/races/quick", {"variant": ["plot"]}, REMOTE_ADDR="192.0.2.7")
    (origin,) = RaceOrigin.objects.all()
    assert (origin.player_id, len(bytes(origin.network))) == (one.pk, 16)
    assert origin.device is not None
    assert origin.device.hex in client.cookies[COOKIE].value


def test_origins_are_deleted_after_a_month() -> None:
    one = make_account()
    origins.record(one.pk, None, "192.0.2.0/24", NOON)
    origins.record(one.pk, None, "192.0.2.0/24", NOON + DAY)
    remove_aged(housekeeping.KINDS, NOON + KEPT + timedelta(seconds=1))
    assert [origin.made_at for origin in RaceOrigin.objects.all()] == [NOON + DAY]


SUNDAY = date(2026, 11, 22)


@pytest.fixture
def ada() -> User:
    return make_account()


@pytest.fixture
def bob() -> User:
    return make_account()


def shown(period: heat_standings.Period, day: date = SUNDAY, **chosen: Any) -> list[tuple[int, int, int, int, int]]:
    return [
        (one.place, one.player_id, one.points, one.heats, one.wins)
        for one in heat_standings.standing(period, day, **chosen)
    ]


def test_points_of_a_day_are_summed(ada: User, bob: User) -> None:
    heat(SUNDAY, 3, {ada: 2, bob: 1})
    heat(SUNDAY, 11, {ada: 1, bob: 5})
    heat(SUNDAY - timedelta(days=1), 19, {ada: 16})
    heat(SUNDAY + timedelta(days=1), 3, {ada: 16})
    assert shown("day") == [(1, bob.pk, 6, 2, 1), (2, ada.pk, 3, 2, 1)]


def test_weeks_are_iso_weeks(ada: User) -> None:
    for day in (date(2026, 11, 15), date(2026, 11, 16), SUNDAY, date(2026, 11, 23)):
        heat(day, 11, {ada: 3})
    assert shown("week") == shown("week", date(2026, 11, 18)) == [(1, ada.pk, 6, 2, 2)]
    assert shown("week", date(2026, 11, 23)) == [(1, ada.pk, 3, 1, 1)]
    assert heat_standings.span("week", SUNDAY) == (date(2026, 11, 16), date(2026, 11, 23))


def test_equal_points_share_a_place_across_divisions(ada: User, bob: User) -> None:
    heat(SUNDAY, 3, {ada: 4, make_account(): 1})
    heat(SUNDAY, 3, {bob: 4}, division=2)
    assert [place for place, *_ in shown("day")] == [1, 1, 3]
    assert [place for place, *_ in shown("day", limit=1, after=2)] == [3]


def test_only_players_with_a_page_are_listed(ada: User, bob: User) -> None:
    """Even if they hide their presence."""
    User.objects.filter(pk=ada.pk).update(preferences={"hide_presence": True})
    banned = make_account(banned_at=timezone.now())
    heat(SUNDAY, 3, {create_guest(): 9, banned: 8, bob: 7, ada: 1})
    User.objects.filter(pk=bob.pk).update(deleted_at=timezone.now())
    assert shown("day") == [(1, ada.pk, 1, 1, 1)], "no one listed was ahead"
    assert heat_standings.standing_of(bob.pk, "day", SUNDAY) is None
    (entry,) = heat_standings.standing("day", SUNDAY)
    assert (entry.name, entry.page) == (ada.display_name, ada.public_id)


def test_only_finished_heats_count(ada: User, bob: User) -> None:
    heat(SUNDAY, 3, {ada: 4}, state="void")
    other = race_of(datetime(2026, 11, 22, 12, tzinfo=UTC))
    Entrant.objects.create(race=other, player=bob, joined_at=other.opened_at, points=4, state="won", place=1)
    assert shown("day") == []


def test_own_standing_equals_the_listed_one(ada: User, bob: User) -> None:
    heat(SUNDAY, 3, {ada: 4, bob: 6, make_account(): 6})
    for entry in heat_standings.standing("day", SUNDAY):
        assert heat_standings.standing_of(entry.player_id, "day", SUNDAY) == entry
    assert heat_standings.standing_of(make_account().pk, "day", SUNDAY) is None


def test_days_without_races_are_refused() -> None:
    for day in (date.min, date.max, date(1999, 12, 31)):
        for period in ("day", "week"):
            with pytest.raises(ValueError, match="no races"):
                heat_standings.standing(period, day)


def test_a_history_lists_finished_races_latest_first(ada: User, bob: User) -> None:
    races = [heat(SUNDAY, hour, {ada: 1, bob: 1}) for hour in (3, 11, 19)]
    heat(SUNDAY + timedelta(days=1), 3, {ada: 1}, state="void")
    found = heat_standings.history(ada.pk, limit=2)
    assert [one.race_id for one in found] == [races[2].pk, races[1].pk]
    assert [one.race_id for one in heat_standings.history(ada.pk, before=found[-1].pk)] == [races[0].pk]
