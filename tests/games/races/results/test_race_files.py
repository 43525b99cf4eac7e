"""Race documents: content, timing, and offline verification."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.utils import timezone

from accounts.models import User
from games.core.errors import ErrorCode
from games.models import Attempt, Deal
from games.races import race_finish, race_start
from games.races.live import snapshot
from games.races.models import Race
from games.races.results import race_file
from games.rules import RaceFile, check_race, commitment
from games.rules.__main__ import main
from leaderboards.verdicts.decisions import decide
from tests.games.races.runs import LIMIT_S, Run, at, goal, refused
from tests.leaderboards import factory

pytestmark = pytest.mark.django_db(transaction=True)


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


def test_a_race_document_is_valid() -> None:
    run = finished()
    written = race_file.race_file(run.race)
    read = RaceFile.from_json(json.loads(json.dumps(written.to_json())))
    assert read == written
    assert check_race(read).problems == ()
    assert [entry.place for entry in read.entrants if entry.state != "absent"] == [1, 2, 3]
    first = read.entrants[0]
    assert (first.state, first.cards_up, first.name, first.player) == ("won", goal(), None, None)
    assert first.record is not None
    assert first.record.end.how == "won"
    assert sum(entry.record is None for entry in read.entrants) == 1


def test_players_with_a_page_are_named() -> None:
    run = finished()
    named = {entry.player: entry.name for entry in race_file.race_file(run.race).entrants if entry.player}
    assert named == {player.public_id: player.display_name for player in run.players[1:3]}
    User.objects.filter(pk=run.players[1].pk).update(deleted_at=timezone.now())
    assert len([entry for entry in race_file.race_file(run.race).entrants if entry.player]) == 1


def test_a_deleted_players_figures_remain() -> None:
    run = finished()
    run.players[0].delete()
    written = race_file.race_file(run.race)
    assert written.entrants[0].record is None
    assert (written.entrants[0].place, written.entrants[0].cards_up) == (1, goal())
    assert check_race(written).ok


def test_a_rejected_record_is_left_out() -> None:
    run = finished()
    decide(run.attempt(0).pk, Attempt.State.REJECTED, factory.player(is_staff=True))
    written = race_file.race_file(run.race)
    assert [entry.state for entry in written.entrants][-2:] != ["won", "won"]
    out = next(entry for entry in written.entrants if entry.state == "disqualified")
    assert (out.record, out.place) == (None, 3)
    assert check_race(written).ok


def test_a_record_under_review_has_no_place() -> None:
    run = finished()
    Attempt.objects.filter(pk=run.attempt(0).pk).update(state=Attempt.State.REVIEW)
    race_finish.recompute_places(run.race.pk)
    written = race_file.race_file(run.race)
    (reviewed,) = (entry for entry in written.entrants if entry.in_review)
    assert (reviewed.state, reviewed.place, reviewed.cards_up) == ("won", None, None)
    assert reviewed.record is not None
    assert check_race(written).problems == ()
    run.players[0].delete()  # and the record
    assert check_race(race_file.race_file(run.race)).problems == ()


def test_its_commitment_is_that_of_the_countdown() -> None:
    run = Run.of(2)
    assert _shown(run) is None
    run.ready(0, 1)
    Deal.objects.filter(races=run.race).update(commitment=commitment(run.seed))
    shown = _shown(run)
    assert shown is not None
    race_start.begin_due(at(15))
    race_start.mark_dealt(run.attempt_ids, at(15.1))
    for place in range(2):
        run.resign(place, 60)
    run.judge()
    written = race_file.race_file(run.race)
    assert (written.file_version, written.commitment) == (2, shown)
    assert check_race(written).problems == ()
    Race.objects.filter(pk=run.race.pk).update(limit_s=1800)
    assert race_file.race_file(run.race).commitment != shown


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
    assert [entry.state for entry in race_file.race_file(run.race).entrants] == ["retired", "timed_out"]
    assert check_race(race_file.race_file(run.race)).problems == ()


def test_there_is_no_document_while_any_division_plays() -> None:
    race = finished().race
    for state in ("open", "countdown", "racing", "settling", "void"):
        race.state = state
        assert refused(lambda: race_file.race_file(race)) == ErrorCode.NOT_REVEALED
    Deal.objects.filter(races=race).update(revealed_at=None)
    race = Race.objects.get(pk=race.pk)
    assert not race_file.is_public(race)
    assert refused(lambda: race_file.race_file(race)) == ErrorCode.NOT_REVEALED


def test_the_command_line_verifies_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = finished()
    file = tmp_path / race_file.file_name(Race.objects.get(pk=run.race.pk))
    file.write_text(json.dumps(race_file.race_file(run.race).to_json()))
    assert main(["verify", str(file)]) == 0
    assert capsys.readouterr().out.endswith("verified\n")
