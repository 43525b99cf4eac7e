"""Race pages: content, access, and messages to players who are refused."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts.lifecycle.bans import ban_player
from accounts.models import User
from accounts.profile import avatars
from accounts.sign_in.guests import create_guest
from games.core import limits
from games.models import Attempt
from games.pages.races import lobby
from games.pages.races.table_opponents import RaceSeat
from games.races import finishing, rooms, seats
from games.races.live import snapshot
from games.races.models import Entrant, Race, Room
from games.races.results.download import commitment_of
from tests.factories import signed_in
from tests.games.races.finished_races import heat
from tests.games.races.runs import LIMIT_S, VARIANT, Run, at

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("requested_tasks")]

FORM = {"name": "stonewall", "limit": "900", "seats": "4", "privacy": "private"}


@pytest.fixture
def account() -> User:
    return User.objects.create_user("Ariadne", password="nine of wands and a cup")


def room_with(*players: User, public: bool = False, taken: int = 0) -> Room:
    host = players[0] if players else create_guest()
    room = rooms.open_room(host, VARIANT, public=public, limit_s=LIMIT_S, seats=max(2, taken))
    for player in [host, *players[1:]]:
        seats.sit(room.pk, player)
    return room


def finished(count: int = 2, **settings: Any) -> Run:
    """Create a race won by the first player; the others have resigned."""
    run = Run.ended("won", *["retired"] * (count - 1), **settings).judge()
    assert run.race.state == Race.State.FINISHED
    return run


def test_the_lobby_lists_only_public_rooms(client: Client, account: User) -> None:
    public, private = room_with(account, public=True), room_with()
    cache.clear()
    for path in ("/races/", "/races/lobby.json"):
        text = client.get(path).content.decode()
        assert public.code in text
        assert private.code not in text
    (told,) = client.get("/races/lobby.json").json()["rooms"]
    assert told | {"number": 1} == {
        "code": public.code,
        "number": 1,
        "kind": "public",
        "variant": VARIANT,
        "game": VARIANT,
        "options": {},
        "limit_s": LIMIT_S,
        "seats": 2,
        "taken": 1,
        "host": "Ariadne",
        "avatar": avatars.address_of("Ariadne"),
    } | {"options": told["options"]}


def test_the_lobby_shows_public_races_and_results() -> None:
    shown, hidden = finished(public=True), finished()
    recent = lobby.read(at(500))["recent"]
    assert [race["code"] for race in recent] == [shown.room.code]
    assert (recent[0]["winners"], recent[0]["avatars"]) == ([""], [avatars.address_of("")])  # guests have no name
    Entrant.objects.filter(race=shown.race, place=1).update(state=Entrant.State.DISQUALIFIED)
    assert lobby.read(at(500))["recent"][0]["winners"] == [], "no one has won"
    Entrant.objects.filter(race=shown.race, place=1).update(state=Entrant.State.WON)
    ban_player(shown.players[0])
    assert lobby.read(at(500))["recent"][0]["winners"] == [], "a banned player is not a guest"
    running = Run.racing(2)
    Room.objects.filter(pk=running.room.pk).update(kind=Room.Kind.QUICK)
    told = lobby.read(at(20))["running"]
    assert [(race["code"], race["taken"]) for race in told] == [(running.room.code, 2)]
    assert hidden.room.code not in str(lobby.read(at(500)))


def test_one_reading_of_the_lobby_serves_all_visitors(
    client: Client, django_assert_num_queries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobby.lobbies, "fresh", 60.0)
    client.get("/races/lobby.json")
    with django_assert_num_queries(0):
        client.get("/races/lobby.json")


def test_a_newcomer_makes_a_room_with_one_click(client: Client) -> None:
    made = client.post("/races/new", {})
    room = Room.objects.get()
    assert made["Location"] == f"/races/{room.code}/"
    assert (room.kind, room.variant, room.seats, room.limit_s) == (Room.Kind.PRIVATE, "stonewall", 8, 900)
    entrant = Entrant.objects.get()
    assert entrant.player == room.host
    assert User.objects.get().is_guest
    assert client.get(made["Location"]).status_code == 200


def test_a_room_may_have_custom_options(client: Client) -> None:
    own = {"option-tarot-draw": "3", "option-tarot-fool": '"wild"', "option-braid-redeals": "1"}
    client.post("/races/new", {**FORM, "name": "own:tarot", "privacy": "public", **own})
    room = Room.objects.get()
    assert (room.variant, room.game, room.kind) == ("", "tarot", Room.Kind.PUBLIC)
    assert (room.options["draw"], room.options["fool"]) == (3, "wild")


def test_refusals_are_shown_as_text_or_json(client: Client) -> None:
    for wrong in (
        {"name": "whist"},
        {"name": "own:whist"},
        {"limit": "7"},
        {"limit": "soon"},
        {"seats": "40"},
        {"name": "own:tarot", "option-tarot-draw": "99"},
        {"name": "own:tarot", "option-tarot-draw": "{"},
    ):
        page = client.post("/races/new", {**FORM, **wrong}, follow=True)
        assert page.redirect_chain == [("/races/", 302)]
        assert 'class="message' in page.content.decode()
        answer = client.post("/races/new", {**FORM, **wrong}, headers={"accept": "application/json"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_option")
    assert not Room.objects.exists()


def test_a_seated_player_is_sent_to_their_room(account: User) -> None:
    mine, room = signed_in(account), room_with(account)
    page = mine.post("/races/new", FORM, follow=True)
    assert page.redirect_chain == [(f"/races/{room.code}/", 302)]
    assert "re in another race" in page.content.decode()
    assert Room.objects.count() == 1
    assert "You have a seat in a race." in mine.get("/races/").content.decode()


def test_deserted_rooms_keep_no_deals(account: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host who leaves a room and makes another has one room, and its unseen deal is used again."""
    mine, deals = signed_in(account), set()
    for _ in range(4):
        mine.post("/races/new", FORM)
        room = Room.objects.get(closed_at=None)
        seats.leave(room.pk, account.pk)
        deals.add(Race.objects.get(room=room).deal_id)
    assert (Room.objects.count(), len(deals)) == (4, 1)
    monkeypatch.setitem(limits.RATES, "room", "2/h")
    cache.clear()
    assert [mine.post("/races/new", FORM).status_code for _ in range(2)] == [302, 302]
    seats.leave(Room.objects.get(closed_at=None).pk, account.pk)
    assert mine.post("/races/new", FORM).status_code == 429
    assert Room.objects.count() == 5


def test_a_room_in_use_stays_when_its_host_leaves(account: User) -> None:
    run, seated = finished(players=[account, create_guest()]), room_with(account, create_guest())
    seats.leave(seated.pk, account.pk)
    Room.objects.filter(pk=seated.pk).update(host=account)
    signed_in(account).post("/races/new", FORM)
    assert Room.objects.filter(closed_at=None, pk__in=[run.room.pk, seated.pk]).count() == 2


def test_a_friend_joins_by_link_without_an_account(client: Client) -> None:
    room = room_with()
    page = client.get(f"/races/{room.code}/")
    assert f'action="/races/{room.code}/sit"' in page.content.decode()
    assert User.objects.count() == 1  # viewing creates no guest
    sat = client.post(f"/races/{room.code}/sit")
    assert sat["Location"] == f"/races/{room.code}/"
    assert Entrant.objects.filter(race__room=room).count() == 2


def test_a_player_may_watch_a_full_room(client: Client) -> None:
    room = room_with(create_guest(), create_guest())
    page = client.post(f"/races/{room.code}/sit", follow=True)
    assert page.redirect_chain == [(f"/races/{room.code}/", 302)]
    assert "This room is full." in page.content.decode()


def test_a_kicked_player_cannot_return(account: User) -> None:
    host = create_guest()
    room = room_with(host, account)
    seats.kick(room.pk, host.pk, Entrant.objects.get(player=account).pk)
    mine = signed_in(account)
    page = mine.get(f"/races/{room.code}/")
    assert page.status_code == 403
    assert "The host removed you" in page.content.decode()
    assert "/races/" in page.content.decode()
    assert mine.post(f"/races/{room.code}/sit").status_code == 403
    assert Client().get(f"/races/{room.code}/").status_code == 200


def test_a_closed_room_links_to_its_results(client: Client) -> None:
    run = finished()
    rooms.close(run.room)
    page = client.get(f"/races/{run.room.code}/")
    assert page.status_code == 410
    assert f'href="/races/{run.room.code}/1/"' in page.content.decode()
    assert client.post(f"/races/{run.room.code}/sit").status_code == 410


def test_an_unknown_code_has_no_room(client: Client) -> None:
    for path in ("/races/0000000000/", "/races/0000000000/1/"):
        assert client.get(path).status_code == 404
    assert client.post("/races/0000000000/sit").status_code == 404


def test_a_quick_match_seats_two_and_marks_their_pages(account: User) -> None:
    mine, other = signed_in(account), Client()
    first = mine.post("/races/quick", {"variant": ["plot", "stonewall"]})["Location"]
    assert other.post("/races/quick")["Location"] == first
    room = Room.objects.get(kind=Room.Kind.QUICK, closed_at=None)
    assert f'data-waiting-room="{room.code}"' in mine.get("/rules/plot/").content.decode()
    assert "data-waiting-room" not in Client().get("/rules/plot/").content.decode()
    seats.leave(room.pk, account.pk)
    assert "data-waiting-room" not in mine.get("/rules/plot/").content.decode()


def test_a_heat_can_be_entered_once_its_doors_open(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.races.heats.next_room", lambda: None)
    assert client.get("/races/heat/")["Location"] == "/races/"
    room = room_with()
    monkeypatch.setattr("games.races.heats.next_room", lambda: room)
    assert client.get("/races/heat/")["Location"] == f"/races/{room.code}/"


def test_a_result_shows_places_replays_seed_and_the_lead(client: Client) -> None:
    run = finished(3)
    page = f"/races/{run.room.code}/1/"

    def headline(answer: Any) -> str:
        (text,) = re.findall("<h1>(.*?)</h1>", answer.content.decode())
        return html.unescape(text)

    winner, _, last = answers = [signed_in(player).get(page) for player in run.players]
    seen = client.get(page)
    assert headline(winner) == "You won the race"
    assert headline(last) == "You came 2nd of 3"
    assert headline(seen) == f"{run.players[0].display_name} won the race"
    text = answers[1].content.decode()
    deal, terms = run.race.deal, commitment_of(run.race)
    assert deal is not None
    assert terms is not None
    for shown in (bytes(deal.seed).hex(), deal.commitment, terms, f'action="/races/{run.room.code}/sit"'):
        assert shown in text
    for place in range(3):
        assert f'/replay/{run.attempt(place).public_id}/"' in text
    assert re.search(r'class="place won">\s*<b class="place-number place-1"\s*>1', text)
    assert re.search(r'class="place retired me">', text)
    chart = seen.context["chart"]
    assert (chart.lines[0].name, seen.context["series"]) == (run.players[0].display_name, [])
    assert text.count('<path class="line line-') == 2 * len(chart.lines)
    assert "took the lead for good at" in text
    assert "Check this race" in text
    title, figures, address = winner.context["share_text"].splitlines()
    assert title.startswith("Talon, Race 1: ")
    assert re.fullmatch(r"Place 1 of 3 · Won in [\d:.]+", figures)
    assert address.endswith(page)
    assert re.search(r"Place 2 of 3 · \d+ cards up in [\d:.]+", last.context["share_text"])
    assert 'id="share-text"' in last.content.decode()
    assert seen.context["share_text"] == ""
    # Guests have the same names everywhere.
    room = snapshot.read_rooms([run.room.pk])[run.room.pk]
    assert room.last is not None
    called = sorted(player.display_name for player in run.players)
    assert sorted(one.name for one in seen.context["entrants"]) == called
    assert sorted(seat.name for seat in room.last.message.seats) == called
    assert f"<span>{run.players[0].display_name}</span></a>" in winner.content.decode()


def test_only_its_player_sees_a_result_under_review() -> None:
    run = finished(3)
    attempt = run.attempt(0)
    Attempt.objects.filter(pk=attempt.pk).update(state=Attempt.State.REVIEW)
    finishing.apply_verdicts([attempt.pk])
    pages = [signed_in(player).get(f"/races/{run.room.code}/1/").content.decode() for player in run.players[:2]]
    assert [("Under review" in page, "Not decided yet" in page) for page in pages] == [(True, False), (False, True)]
    assert all(re.search(r'class="place won( me)?">\s*<b class="place-number"\s*>–', page) for page in pages)
    assert "Under review" in signed_in(run.players[0]).get("/races/mine/").content.decode()


def test_a_racer_without_a_rightful_place_beats_no_one() -> None:
    run = finished(3)
    page = f"/races/{run.room.code}/1/"
    Attempt.objects.filter(pk=run.attempt_ids[0]).update(state=Attempt.State.REJECTED)
    finishing.apply_verdicts(run.attempt_ids)
    names = [player.display_name for player in run.players]
    cheat, first = (signed_in(player).get(page) for player in run.players[:2])
    assert (first.context["headline"], cheat.context["share_text"]) == ("You came first", "")
    assert cheat.context["headline"] in {f"{name} came first" for name in names[1:]}
    Attempt.objects.filter(pk__in=run.attempt_ids).update(state=Attempt.State.REJECTED)
    finishing.apply_verdicts(run.attempt_ids)
    assert Client().get(page).context["headline"] == "Stonewall", "no one came first"


def test_a_heat_leads_to_the_next_one_and_has_no_rematch(monkeypatch: pytest.MonkeyPatch, account: User) -> None:
    today = timezone.now().date()
    race = heat(today, 3, {account: 4})
    start = race.starts_at
    assert start is not None
    monkeypatch.setattr(timezone, "now", lambda: start + timedelta(minutes=5))
    for path in (f"/races/{race.room.code}/1/", f"/races/{race.room.code}/"):
        text = Client().get(path).content.decode()
        assert f'Next race at <time datetime="{start.replace(hour=7).isoformat()}"' in text
        assert ('action="/races/quick"' in text, "Rematch" in text) == (True, False)
    entrant = Entrant.objects.get(race=race)
    monkeypatch.setattr(timezone, "now", lambda: start - timedelta(seconds=10))
    assert RaceSeat.of_entrant(entrant, race.room.code).next == start.replace(hour=7), "not the one about to start"
    assert RaceSeat.of_entrant(finished(2).entrant(0), "code").next is None


def test_a_quick_match_leads_to_a_new_opponent_for_the_same_games() -> None:
    run = finished(2)
    Entrant.objects.filter(pk=run.entrant(0).pk).update(wishes=["labyrinth", "stonewall"])
    seeker, other = map(signed_in, run.players)
    result = f"/races/{run.room.code}/1/"
    for page in (result, f"/table/{run.attempt(0).public_id}/"):
        text = seeker.get(page).content.decode()
        assert "New opponent" in text
        assert re.findall(r'type="hidden" name="variant" value="(\w+)"', text) == ["labyrinth", "stonewall"]
    assert "New opponent" not in other.get(result).content.decode()


def test_avatars_appear_in_the_lobby_and_results(account: User) -> None:
    run = finished(public=True, players=[account, create_guest()])
    (told,) = lobby.read(at(500))["recent"]
    assert (told["winners"], told["avatars"]) == (["Ariadne"], [avatars.address_of("Ariadne")])
    page = signed_in(account).get(f"/races/{run.room.code}/1/").content.decode()
    names = re.findall(r'<span class="place-name"><img class="avatar" src="([^"]+)"', page)
    assert names == [avatars.address_of("Ariadne"), avatars.address_of("")]


def test_results_leave_no_gap_for_banned_players_and_name_no_former_ones(client: Client, account: User) -> None:
    run = finished(3)
    Entrant.objects.filter(attempt=run.attempt_ids[0]).update(player=account)
    run.players[1].delete()

    def shown() -> list[tuple[str, int, str]]:
        page = client.get(f"/races/{run.room.code}/1/")
        assert ("One player was removed." in page.content.decode()) == (len(page.context["entrants"]) < 3)
        assert "A guest" in page.content.decode(), "deleted guests stay"
        return [(one.name, one.place, one.state) for one in page.context["entrants"]]

    guest = run.players[2].display_name
    behind = [("", 2, "retired"), (guest, 2, "retired")]
    assert shown() == [("Ariadne", 1, "won"), *behind]
    User.objects.filter(pk=account.pk).update(banned_at=timezone.now())
    assert shown() == [("", 1, "retired"), (guest, 1, "retired")]
    User.objects.filter(pk=account.pk).update(banned_at=None, deleted_at=timezone.now())
    assert shown() == [("Former player", 1, "won"), *behind]


def test_no_result_is_shown_before_the_finish(client: Client) -> None:
    run = Run.racing(2)
    assert client.get(f"/races/{run.room.code}/1/")["Location"] == f"/races/{run.room.code}/"
    deal = run.race.deal
    assert deal is not None
    for path in ("/races/", "/races/lobby.json", f"/races/{run.room.code}/", "/races/heats/", "/races/mine/"):
        assert bytes(deal.seed).hex() not in client.get(path).content.decode()


def test_a_void_race_gives_its_reason(client: Client) -> None:
    room = room_with()
    rooms.close(room)
    text = client.get(f"/races/{room.code}/1/").content.decode()
    assert "It never started" in text


def test_a_history_belongs_to_its_player_and_marks_wins(client: Client) -> None:
    run = finished()
    first = Entrant.objects.get(race=run.race, place=1)
    pages = {}
    for state in ("won", "retired"):
        Entrant.objects.filter(pk=first.pk).update(state=state)
        pages[state] = signed_in(first.player).get("/races/mine/").content.decode()
    assert ["rank-1" in pages[state] for state in ("won", "retired")] == [True, False]
    assert f"/races/{run.room.code}/1/" in pages["won"]
    assert run.room.code not in client.get("/races/mine/").content.decode()


def test_replays_wait_for_all_divisions_of_a_heat(client: Client) -> None:
    run = finished()
    deal = run.race.deal
    assert deal is not None
    type(deal).objects.filter(pk=deal.pk).update(revealed_at=None)
    text = client.get(f"/races/{run.room.code}/1/").content.decode()
    assert "/replay/" not in text
    assert bytes(deal.seed).hex() not in text


def test_heats_have_daily_and_weekly_standings(account: User) -> None:
    today = timezone.now().date()
    heat(today, 3, {account: 25, create_guest(): 10})
    text = signed_in(account).get("/races/heats/").content.decode()
    assert text.count('<tr class="me"') == 2
    assert "Ariadne" in text
    assert "No points yet" not in text
    for day in ("2020-01-01", "nonsense", "9999-12-31"):
        page = Client().get(f"/races/heats/?day={day}")
        assert page.status_code == 200
