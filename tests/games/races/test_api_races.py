"""Races in the API, and the file of a race."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.api.races import FileEntrantOut
from games.models import Attempt, Deal
from games.races import finishing, heats, rooms, seats, starting
from games.races.live import snapshot
from games.races.models import Entrant, Race, Room
from games.races.quick_match import matchmaking
from games.races.results import download
from games.rules import RaceFile, check_race, commitment
from games.rules.__main__ import main
from leaderboards.verdicts.decisions import decide
from tests.factories import make_account, signed_in
from tests.games.races.finished_races import heat, race_of
from tests.games.races.runs import LIMIT_S, Run, at, goal

pytestmark = pytest.mark.django_db(transaction=True)
API = "/api/v1"
NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


def read(client: Client, path: str, status: int = 200) -> Any:
    answer = client.get(f"{API}/{path}")
    assert answer.status_code == status, answer.content
    return answer.json()


def ids(answer: Any) -> list[str]:
    return [race["id"] for race in answer["races"]]


def finished_run() -> Run:
    run = Run.ended("won", "retired").judge()
    Deal.objects.filter(races=run.race).update(commitment=commitment(run.seed))
    assert run.race.state == "finished"
    return run


def test_races_are_listed_by_state(client: Client) -> None:
    player = create_guest()
    matchmaking.enter(player, ["plot"], NOON)
    waiting = Race.objects.get()
    done = race_of(NOON)
    rooms.open_room(create_guest(), "plot", public=False, limit_s=600, seats=4, now=NOON)
    race_of(NOON, kind=Room.Kind.PRIVATE)
    race_of(NOON, state="void")
    assert ids(read(client, "races")) == [str(waiting.public_id)]
    assert ids(read(client, "races?state=finished")) == [str(done.public_id)]
    assert ids(read(client, "races?state=running")) == []
    (shown,) = read(client, "races")["races"]
    assert (shown["kind"], shown["taken"], shown["seats"], shown["variant"]) == ("quick", 1, 2, "plot")
    assert waiting.deal is not None
    assert (shown["commitment"], shown["seed"]) == (waiting.deal.commitment, None)
    assert shown["room"] == waiting.room.code
    Room.objects.update(closed_at=NOON)
    assert ids(read(client, "races")) == []


def test_lists_are_paginated(client: Client) -> None:
    created = [race_of(NOON + timedelta(minutes=n // 2)) for n in range(5)]
    seen: list[str] = []
    cursor = ""
    for size in (2, 2, 1):
        page = read(client, f"races?state=finished&limit=2{cursor}")
        assert len(page["races"]) == size
        seen += ids(page)
        cursor = f"&cursor={page['cursor']}"
    assert page["cursor"] is None
    assert seen == [str(race.public_id) for race in reversed(created)]


def test_a_private_race_needs_its_link_or_a_seat() -> None:
    run = Run.counting(2)
    path = f"races/{run.race.public_id}"
    assert read(signed_in(create_guest()), path, 404)["error"]["code"] == "not_found"
    for hidden in (path, f"{path}?code=0000000000", f"{path}/file"):
        assert read(Client(), hidden, 404)["error"]["code"] == "not_found"
    for answer in (read(signed_in(run.players[1]), path), read(Client(), f"{path}?code={run.room.code}")):
        assert (answer["state"], answer["room"], answer["seed"]) == ("countdown", run.room.code, None)
        assert len(answer["entrants"]) == 2


def test_a_finished_race_shows_places_and_file_but_no_link(client: Client) -> None:
    run = finished_run()
    answer = read(client, f"races/{run.race.public_id}")
    assert (answer["state"], answer["room"], answer["seed"]) == ("finished", None, run.seed.hex())
    first, second = answer["entrants"]
    assert (first["state"], first["place"], second["state"], second["place"]) == ("won", 1, "retired", 2)
    assert first["cards_up"] > second["cards_up"] == 0
    assert (first["name"], first["player"]) == (None, None)
    file = client.get(f"{API}/races/{run.race.public_id}/file")
    assert file["Content-Disposition"].startswith('attachment; filename="talon-race-')
    assert check_race(RaceFile.from_json(file.json())).ok
    assert file.json()["entrants"][0].keys() == FileEntrantOut.model_fields.keys()
    assert run.room.code not in file.content.decode()
    # A heat's seed waits for the other divisions.
    Deal.objects.filter(races=run.race).update(revealed_at=None)
    assert read(client, f"races/{run.race.public_id}")["seed"] is None
    assert read(client, f"races/{run.race.public_id}/file", 403)["error"]["code"] == "not_revealed"


def test_a_running_race_reveals_no_secrets() -> None:
    run = Run.racing(2)
    run.play(0, 10)
    code = run.room.code
    secrets = {run.seed.hex(), *(str(run.attempt(place).public_id) for place in range(2))}
    client = signed_in(run.players[0])
    for path in (
        f"races/{run.race.public_id}?code={code}",
        f"races/{run.race.public_id}/file?code={code}",
        "races/mine",
    ):
        text = client.get(f"{API}/{path}").content.decode()
        assert not [secret for secret in secrets if secret in text]
    refused = read(client, f"races/{run.race.public_id}/file?code={code}", 403)
    assert refused["error"]["code"] == "not_revealed"


def test_hidden_players_are_named_only_after_the_race(client: Client) -> None:
    player = make_account(preferences={"hide_presence": True})
    matchmaking.enter(player, ["plot"], NOON)
    race = Race.objects.get()
    (entrant,) = read(client, f"races/{race.public_id}")["entrants"]
    assert (entrant["name"], entrant["player"]) == (None, None)
    done = heat(date(2026, 11, 22), 3, {player: 1})
    (entrant,) = read(client, f"races/{done.public_id}")["entrants"]
    assert (entrant["name"], entrant["player"]) == (player.display_name, str(player.public_id))


def test_the_next_heat_includes_its_race_once_open(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    start = datetime(2026, 11, 22, 19, tzinfo=UTC)
    monkeypatch.setattr(timezone, "now", lambda: start - timedelta(minutes=30))
    found = read(client, "heats")["next"]
    assert found == {
        "starts_at": "2026-11-22T19:00:00Z",
        "doors_at": "2026-11-22T18:50:00Z",
        "variant": heats.variant_at(start),
        "race": None,
    }
    now = start - timedelta(minutes=5)
    monkeypatch.setattr(timezone, "now", lambda: now)
    room = heats.next_room(now)
    assert room is not None
    seats.sit(room.pk, create_guest(), now=now)
    found = read(client, "heats")["next"]
    assert (found["race"]["room"], found["race"]["taken"]) == (room.code, 1)


def test_past_heats_are_listed(client: Client) -> None:
    player = make_account()
    created = [heat(date(2026, 11, 22), hour, {player: 1}) for hour in (3, 11, 19)]
    page = read(client, "heats?limit=2")
    assert [race["id"] for race in page["past"]] == [str(race.public_id) for race in created[:0:-1]]
    rest = read(client, f"heats?cursor={page['cursor']}")
    assert [race["id"] for race in rest["past"]] == [str(created[0].public_id)]


def test_standings_of_a_day_and_a_week(client: Client) -> None:
    ada, bob = make_account(), make_account()
    heat(date(2026, 11, 22), 3, {ada: 2, bob: 1})
    heat(date(2026, 11, 21), 3, {bob: 5})
    day = read(client, "heats/standings?day=2026-11-22")
    assert (day["first"], day["until"]) == ("2026-11-22", "2026-11-23")
    assert [(one["place"], one["player"], one["points"]) for one in day["entries"]] == [
        (1, str(ada.public_id), 2),
        (2, str(bob.public_id), 1),
    ]
    week = read(client, "heats/standings?period=week&day=2026-11-22&limit=1")
    assert (week["first"], week["until"]) == ("2026-11-16", "2026-11-23")
    assert [(one["name"], one["points"], one["heats"], one["wins"]) for one in week["entries"]] == [
        (bob.display_name, 6, 2, 1)
    ]
    assert read(client, "heats/standings?day=0001-01-01", 400)["error"]["code"] == "bad_days"


def test_my_races_lists_only_own_races(client: Client) -> None:
    assert read(client, "races/mine", 401)["error"]["code"] == "not_signed_in"
    me = make_account()
    mine = [heat(date(2026, 11, 22), hour, {me: 2}) for hour in (3, 11, 19)]
    heat(date(2026, 11, 21), 3, {make_account(): 2})
    own = signed_in(me)
    page = read(own, "races/mine?limit=2")
    assert [one["race"]["id"] for one in page["races"]] == [str(race.public_id) for race in mine[:0:-1]]
    assert page["races"][0]["me"]["place"] == 1
    rest = read(own, f"races/mine?cursor={page['cursor']}")
    assert [one["race"]["id"] for one in rest["races"]] == [str(mine[0].public_id)]
    assert rest["cursor"] is None
    assert read(own, f"races/mine?cursor={uuid.uuid4()}", 400)["error"]["code"] == "bad_cursor"
    assert Entrant.objects.filter(player=me).count() == 3


def finished() -> Run:
    run = Run.begun(4, dealt=3)
    Deal.objects.filter(races=run.race).update(commitment=commitment(run.seed))
    run.tend(25)
    User.objects.filter(pk__in=[player.pk for player in run.players[1:3]]).update(is_guest=False)
    run.play(0)
    run.play(1, 10)
    run.resign(1, 60)
    run.tend(315)
    run.judge()
    assert run.race.state == "finished"
    return run


def test_a_race_document_is_valid_also_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = finished()
    written = download.race_file(run.race)
    read = RaceFile.from_json(json.loads(json.dumps(written.to_json())))
    assert read == written
    assert check_race(read).problems == ()
    assert [entry.place for entry in read.entrants if entry.state != "absent"] == [1, 2, 3]
    first = read.entrants[0]
    assert (first.state, first.cards_up, first.name, first.player) == ("won", goal(), None, None)
    assert first.record is not None
    assert first.record.end.how == "won"
    assert sum(entry.record is None for entry in read.entrants) == 1
    file = tmp_path / download.file_name(Race.objects.get(pk=run.race.pk))
    file.write_text(json.dumps(written.to_json()))
    assert main(["verify", str(file)]) == 0
    assert capsys.readouterr().out.endswith("verified\n")


def test_a_race_document_follows_its_players() -> None:
    """Players with a page are named, and the figures of deleted ones remain."""
    run = finished()
    named = {entry.player: entry.name for entry in download.race_file(run.race).entrants if entry.player}
    assert named == {player.public_id: player.display_name for player in run.players[1:3]}
    User.objects.filter(pk=run.players[1].pk).update(deleted_at=timezone.now())
    run.players[0].delete()
    written = download.race_file(run.race)
    assert len([entry for entry in written.entrants if entry.player]) == 1
    assert written.entrants[0].record is None
    assert (written.entrants[0].place, written.entrants[0].cards_up) == (1, goal())
    assert check_race(written).ok


def test_a_rejected_record_is_left_out() -> None:
    run = finished()
    decide(run.attempt(0).pk, Attempt.State.REJECTED, make_account(is_staff=True))
    written = download.race_file(run.race)
    assert [entry.state for entry in written.entrants][-2:] != ["won", "won"]
    out = next(entry for entry in written.entrants if entry.state == "disqualified")
    assert (out.record, out.place) == (None, 3)
    assert check_race(written).ok


def test_a_record_under_review_has_no_place() -> None:
    run = finished()
    Attempt.objects.filter(pk=run.attempt(0).pk).update(state=Attempt.State.REVIEW)
    finishing.recompute_places(run.race.pk)
    written = download.race_file(run.race)
    (reviewed,) = (entry for entry in written.entrants if entry.in_review)
    assert (reviewed.state, reviewed.place, reviewed.cards_up) == ("won", None, None)
    assert reviewed.record is not None
    assert check_race(written).problems == ()
    run.players[0].delete()  # and the record
    assert check_race(download.race_file(run.race)).problems == ()


def test_its_commitment_is_that_of_the_countdown() -> None:
    run = Run.of(2)
    assert _shown(run) is None
    run.host_starts()
    Deal.objects.filter(races=run.race).update(commitment=commitment(run.seed))
    shown = _shown(run)
    assert shown is not None
    starting.start_racing(at(15))
    starting.mark_dealt(run.attempt_ids, at(15.1))
    for place in range(2):
        run.resign(place, 60)
    run.judge()
    written = download.race_file(run.race)
    assert (written.file_version, written.commitment) == (3, shown)
    assert check_race(written).problems == ()
    Race.objects.filter(pk=run.race.pk).update(limit_s=1800)
    assert download.race_file(run.race).commitment != shown


def _shown(run: Run) -> str | None:
    room = snapshot.read_rooms([run.room.pk])[run.room.pk]
    assert room.to_come is not None
    return room.to_come.message.race_commitment


def test_a_game_resigned_after_the_limit_ends_at_the_limit() -> None:
    run = Run.racing(2)
    Deal.objects.filter(races=run.race).update(commitment=commitment(run.seed))
    run.resign(0, 60)
    run.leave(1, 15 + LIMIT_S + 3)
    run.judge()
    assert [entry.state for entry in download.race_file(run.race).entrants] == ["retired", "timed_out"]
    assert check_race(download.race_file(run.race)).problems == ()
