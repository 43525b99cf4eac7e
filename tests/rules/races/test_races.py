"""Race files: their form, their checks, and the command that verifies them; places."""

from __future__ import annotations

import copy
import io
import json
import random
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from games.rules import (
    NO_PROGRESS,
    Entry,
    RaceCheck,
    RaceError,
    RaceFile,
    Record,
    Score,
    check_race,
    commitment,
    open_table,
    places,
    race_commitment,
    replay,
)
from games.rules.__main__ import main
from games.rules.races import ranking
from tests.rules.mutations import STRANGE
from tests.rules.winning import won_labyrinth

if TYPE_CHECKING:
    from pathlib import Path

SEED = bytes(range(32))
LIMIT_S = 1200
OUTCOMES = {"resigned": "retired", "closed": "timed_out"}
FIGURES = ("cards_up", "elapsed_ms", "tokens", "progress_ms")
Change = Callable[[dict[str, Any]], None]


def record(tokens: int, *, how: str = "resigned", seed: bytes = SEED) -> dict[str, Any]:
    dice, table = random.Random(tokens), open_table("plot", seed)
    played: list[str] = []
    for _ in range(tokens):
        played.append(dice.choice(table.legal_moves()))
        table.push(played[-1])
    return {
        "rules": 1,
        "variant": "plot",
        "seed": seed.hex(),
        "tokens": played,
        "clock": [900 * n for n in range(1, tokens + 1)],
        "end": {"how": how, "ms": 1000 * LIMIT_S if how == "closed" else 900 * tokens + 77},
    }


def entrant(number: int, of: dict[str, Any] | None, **fields: Any) -> dict[str, Any]:
    entry = {"id": number, "name": f"Player {number}", "player": None, "place": 1, "record": of, "in_review": False}
    if of is None:
        return entry | {"state": "absent", "place": None} | dict.fromkeys(FIGURES) | fields
    played = replay(Record.from_json(of))
    figures = {name: getattr(played, name) for name in FIGURES}
    return entry | {"state": OUTCOMES[of["end"]["how"]]} | figures | fields


def document(*entrants: dict[str, Any], **race: Any) -> dict[str, Any]:
    scores = [
        Score("absent") if one["in_review"] else Score(one["state"], *(one[name] for name in FIGURES))
        for one in entrants
    ]
    for one, place in zip(entrants, places(scores), strict=True):
        one["place"] = place
    terms = {
        "id": "3f0e8f0c-8b1f-4a55-8a39-0a3f6f1f0001",
        "number": 1,
        "rated": True,
        "rules": 1,
        "variant": "plot",
        "limit_s": LIMIT_S,
        "starts_at": "2026-11-22T03:00:00.250Z",
    }
    file = {"room": "quick", "seed": SEED.hex(), **terms, **race}
    shown = race_commitment({key: file[key] for key in file if key in terms}, commitment(bytes.fromhex(file["seed"])))
    return {"format": "talon-race", "version": 3, "race": {"commitment": shown, **file}, "entrants": list(entrants)}


def second_version(data: dict[str, Any]) -> dict[str, Any]:
    """Convert a file to version 2, which places by elapsed time."""
    data = copy.deepcopy(data) | {"version": 2}
    for one in data["entrants"]:
        del one["progress_ms"]
    scores = [entry.score for entry in RaceFile.from_json(data).entrants]
    for one, place in zip(data["entrants"], places(scores), strict=True):
        one["place"] = place
    return data


def first_version(data: dict[str, Any]) -> dict[str, Any]:
    """Convert a file to version 1, which binds only the seed."""
    data = second_version(data)
    for one in data["entrants"]:
        del one["in_review"]
    data["race"]["commitment"] = commitment(bytes.fromhex(data["race"]["seed"]))
    return data | {"version": 1}


def sound() -> dict[str, Any]:
    """Return a valid file with every kind of entrant but a winner."""
    return document(
        entrant(1, record(3)),
        entrant(2, record(12, how="closed")),
        entrant(3, None),
        entrant(4, None, state="disqualified"),
        entrant(5, None, state="retired", cards_up=1, elapsed_ms=5, tokens=2, progress_ms=3),
        entrant(6, record(3), name=None, player="c0ffee00-0000-4000-8000-000000000001"),
    )


def checked(data: Any) -> RaceCheck:
    return check_race(RaceFile.from_json(data))


def won() -> dict[str, Any]:
    game = won_labyrinth()
    first = entrant(
        1, None, state="won", cards_up=52, elapsed_ms=game.end.ms, tokens=len(game.tokens), progress_ms=game.end.ms
    )
    last = entrant(2, None, state="timed_out", cards_up=52, elapsed_ms=1000 * LIMIT_S, tokens=1)
    return document(last, first | {"record": game.to_json()}, variant="labyrinth", seed=game.seed.hex())


def test_a_valid_file_is_verified_with_its_places() -> None:
    assert checked(sound()).problems == ()
    assert checked(sound()).places == tuple(one["place"] for one in sound()["entrants"])
    assert sound()["entrants"][2]["place"] is None


def test_a_win_is_placed_before_all_others() -> None:
    assert (checked(won()).ok, checked(won()).places) == (True, (2, 1))


@pytest.mark.parametrize("make", [sound, won])
def test_the_form_round_trips(make: Callable[[], dict[str, Any]]) -> None:
    assert RaceFile.from_json(make()).to_json() == make()


def test_a_custom_game_is_named_with_its_options() -> None:
    data = first_version(document(entrant(1, None)))
    del data["race"]["variant"]
    data["race"] |= {"game": "tarot", "options": {"first_row": True, "draw": 1, "fool": "trump"}}
    assert RaceFile.from_json(data).to_json() == data


def change_clock(data: dict[str, Any]) -> None:
    data["entrants"][0]["record"]["end"]["ms"] += 1


def spoil_token(data: dict[str, Any]) -> None:
    data["entrants"][0]["record"]["tokens"][1] = "r-t0"


def swap_deal(data: dict[str, Any]) -> None:
    data["entrants"][0]["record"] = record(3, seed=bytes(32))


def say_timed_out(data: dict[str, Any]) -> None:
    data["entrants"][0]["state"] = "timed_out"


def set_entry(**fields: Any) -> Change:
    return lambda data: data["entrants"][0].update(fields)


def set_race(**fields: Any) -> Change:
    return lambda data: data["race"].update(fields)


@pytest.mark.parametrize(
    ("change", "entrant_id", "codes"),
    [
        (lambda data: data["race"].update(commitment="0" * 64), None, {"wrong_commitment"}),
        (change_clock, 1, {"wrong_result"}),
        (set_entry(progress_ms=1), 1, {"wrong_result"}),
        (spoil_token, 1, {"illegal_move", "wrong_place"}),
        (swap_deal, 1, {"wrong_deal"}),
        (say_timed_out, 1, {"wrong_result"}),
        (set_entry(place=5), 1, {"wrong_place"}),
        (set_entry(cards_up=104), 1, {"wrong_result"}),
        (set_entry(elapsed_ms=1), 1, {"wrong_result"}),
        (set_entry(tokens=2), 1, {"wrong_result"}),
        (set_entry(state="won"), 1, {"wrong_result"}),
        (set_race(limit_s=1), 1, {"over_limit"}),
        (set_race(limit_s=1), None, {"wrong_commitment"}),
        (set_race(limit_s=1800), 2, {"under_limit"}),
        *(
            (set_race(**{key: value}), None, {"wrong_commitment"})
            for key, value in {
                "id": "3f0e8f0c-8b1f-4a55-8a39-0a3f6f1f0002",
                "number": 2,
                "rated": False,
                "limit_s": 1800,
                "starts_at": "2026-11-22T03:00:00.251Z",
                "variant": "braid",
            }.items()
        ),
    ],
)
def test_false_statements_are_reported(change: Change, entrant_id: int | None, codes: set[str]) -> None:
    data = sound()
    change(data)
    found = checked(data)
    assert not found.ok
    assert {problem.code for problem in found.problems if problem.entrant == entrant_id} == codes
    assert all(problem.reason for problem in found.problems)
    json.dumps(found.to_json())


def test_options_are_bound_by_the_commitment() -> None:
    game: dict[str, Any] = {"game": "tarot", "options": {"first_row": True, "draw": 1, "fool": "trump"}}
    data = document(entrant(1, None))
    del data["race"]["variant"]
    data["race"] |= game
    terms = {key: data["race"][key] for key in ("id", "number", "rated", "rules", "limit_s", "starts_at")}
    data["race"]["commitment"] = race_commitment(terms | game, commitment(SEED))
    assert checked(data).ok
    data["race"]["options"] = game["options"] | {"draw": 3}
    assert [problem.code for problem in checked(data).problems] == ["wrong_commitment"]


def test_a_version_2_file_is_placed_by_elapsed_time() -> None:
    longer = record(3) | {"end": {"how": "resigned", "ms": 99_000}}
    data = document(entrant(1, longer), entrant(2, record(3)))
    assert checked(data).places == (1, 1)
    assert (checked(second_version(data)).ok, checked(second_version(data)).places) == (True, (2, 1))


def test_a_version_1_file_says_what_it_does_not_bind() -> None:
    data = first_version(sound())
    assert RaceFile.from_json(data).to_json() == data
    assert checked(data).ok
    assert set(checked(data).unbound) == {"id", "number", "rated", "rules", "variant", "limit_s", "starts_at"}
    data["race"]["starts_at"] = "2026-11-22T04:00:00Z"
    assert checked(data).ok
    data["race"]["limit_s"] = 5
    assert {problem.code for problem in checked(data).problems} == {"over_limit"}
    assert checked(sound()).unbound == ()


def test_an_entrant_under_review_affects_no_other_place() -> None:
    decided = sound()
    data = document(*(one for one in decided["entrants"] if one["id"] != 2))
    reviewed = entrant(2, record(12, how="closed"), in_review=True) | dict.fromkeys(
        ("cards_up", "elapsed_ms", "tokens")
    )
    waiting = document(*data["entrants"], reviewed)
    assert checked(waiting).problems == ()
    assert checked(waiting).places == (*checked(data).places, None)
    waiting["entrants"][-1]["record"]["tokens"][1] = "r-t0"
    assert {problem.entrant for problem in checked(waiting).problems} == {2}


def test_false_statements_decide_no_place() -> None:
    data = sound()
    before = checked(data).places
    data["entrants"][1] |= {"cards_up": 0, "state": "retired", "place": 1}
    assert checked(data).places == before


#: Values of a file's fields that are refused: in the document itself, in the race, and in an entrant.
REFUSED: dict[tuple[str, str], list[Any]] = {
    ("", "format"): ["talon", None, 1],
    ("", "version"): [4, True, 1.0, "1", 10**30],
    ("", "race"): [None, [], {}, "x"],
    ("", "entrants"): [None, [], {}, "xx", [None], [[]], [{}]],
    ("", "more"): [1],
    ("race", "more"): [1],
    ("entrant", "more"): [1],
    ("race", "id"): [None, 1, "x", "{3f0e8f0c-8b1f-4a55-8a39-0a3f6f1f0001}"],
    ("race", "room"): [None, "hall", [], {}],
    ("race", "number"): [None, -1, 1.5, True, 10**30],
    ("race", "rated"): [None, 1, "true"],
    ("race", "rules"): [None, 2, "1", True],
    ("race", "variant"): [None, "klondike", [], {}],
    ("race", "limit_s"): [None, "60", -5],
    ("race", "starts_at"): [
        *(None, 5, "", "2026-11-22", "2026-13-22T03:00:00.000Z", "٢026-11-22T03:00:00.000Z"),
        *("2026-11-22T03:00:00Z", "2026-11-22T03:00:00.250001Z"),
    ],
    ("race", "commitment"): [None, "0" * 63, "G" * 64, "F" * 64],
    ("race", "seed"): [None, "00", "zz" * 32, 5],
    ("entrant", "id"): [None, 2, -1, "1", True],
    ("entrant", "name"): [5, "x" * 65, "a\x1b[2J", "\ud800"],
    ("entrant", "player"): [5, "x", ""],
    ("entrant", "state"): [None, "racing", [], {}],
    ("entrant", "place"): [None, "1", -1, 1.0],
    ("entrant", "cards_up"): [-1, True, 2**47],
    ("entrant", "elapsed_ms"): [-1, True, 2**47],
    ("entrant", "tokens"): [-1, True, 2**47],
    ("entrant", "record"): [5, {}, [], {"rules": 1}],
    ("entrant", "in_review"): [None, 1, "yes", True],
}


@pytest.mark.parametrize(
    ("where", "key", "value"), [(where, key, value) for (where, key), values in REFUSED.items() for value in values]
)
def test_other_formats_are_refused(where: str, key: str, value: Any) -> None:
    data = sound()
    {"": data, "race": data["race"], "entrant": data["entrants"][0]}[where][key] = value
    with pytest.raises(RaceError):
        RaceFile.from_json(data)


@pytest.mark.parametrize("where", ["", "race", "entrant"])
def test_missing_fields_are_refused(where: str) -> None:
    for key in {"": sound(), "race": sound()["race"], "entrant": sound()["entrants"][0]}[where]:
        data = sound()
        del {"": data, "race": data["race"], "entrant": data["entrants"][0]}[where][key]
        with pytest.raises(RaceError):
            RaceFile.from_json(data)


def test_a_race_has_at_most_16_entrants() -> None:
    assert checked(document(*(entrant(n, None) for n in range(16)))).ok
    with pytest.raises(RaceError, match="16"):
        RaceFile.from_json(document(*(entrant(n, None) for n in range(17))))


def test_the_absent_have_no_place() -> None:
    data = document(entrant(1, None))
    data["entrants"][0]["place"] = 1
    with pytest.raises(RaceError):
        RaceFile.from_json(data)


@pytest.mark.parametrize("strange", STRANGE, ids=lambda value: type(value).__name__)
def test_random_input_is_no_race(strange: Any) -> None:
    for read in (RaceFile.from_json, Entry.from_json):
        with pytest.raises(RaceError):
            read(strange)


def bent(dice: random.Random, data: Any) -> Any:
    """Put strange values anywhere in a document, and drop keys or repeat entries."""
    data = copy.deepcopy(data)
    for _ in range(dice.choice([1, 1, 2, 4])):
        holder = data
        while dice.random() < 0.75:
            inner = [
                part
                for part in (holder.values() if isinstance(holder, dict) else holder)
                if part and isinstance(part, dict | list)
            ]
            if not inner:
                break
            holder = dice.choice(inner)
        if isinstance(holder, dict):
            key = dice.choice([*holder, "extra"])
            holder[key] = dice.choice(STRANGE)
            if dice.random() < 0.1:
                del holder[key]
        else:
            place = dice.randrange(len(holder) + 1)
            holder[place : place + dice.randrange(2)] = dice.choice([[], [dice.choice(STRANGE)], holder[:1]])
    return data


def test_damaged_files_are_refused_or_checked() -> None:
    """Other files in every run."""
    dice, whole = random.Random(random.getrandbits(64)), sound()
    said: set[str] = set()
    taken = 0
    for _ in range(1_500):
        data = bent(dice, whole)
        try:
            found = checked(data)
        except RaceError as error:
            said.add(str(error))
        else:
            json.dumps(found.to_json())
            taken += 1
    assert min(taken, len(said)) > 30
    assert all(0 < len(text.encode()) < 400 for text in said)


def run(monkeypatch: pytest.MonkeyPatch, text: bytes, *arguments: str) -> int:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    return main(["verify", "-", *arguments])


def test_verify_prints_the_places(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "race.json"
    file.write_text(json.dumps(won()))
    assert main(["verify", str(file)]) == 0
    tokens = len(won()["entrants"][1]["record"]["tokens"])
    assert capsys.readouterr().out.splitlines() == [
        "race 3f0e8f0c-8b1f-4a55-8a39-0a3f6f1f0001: labyrinth, 2026-11-22 03:00:00 UTC",
        f"  1  Player 1: won, 52 cards up, {tokens} tokens, {(999 + tokens) / 1000:.3f} s",
        "  2  Player 2: timed out, 52 cards up, 1 tokens, 1200.000 s (as stated, without a record)",
        "verified",
    ]
    assert run(monkeypatch, file.read_bytes(), "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"ok": True, "places": [2, 1], "problems": [], "unbound": []}


def test_verify_prints_faults(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    data = sound()
    spoil_token(data)
    data["race"]["commitment"] = "0" * 64
    text = json.dumps(data).encode()
    assert run(monkeypatch, text) == 1
    out = capsys.readouterr().out
    assert "wrong: the commitment is not that of this seed and these terms" in out
    assert "wrong: entrant 1: token 1 (r-t0): the reserve goes to foundations only" in out
    assert out.endswith("refused\n")
    assert run(monkeypatch, text, "--json") == 1
    assert json.loads(capsys.readouterr().out)["problems"][0] == {
        "entrant": None,
        "code": "wrong_commitment",
        "reason": "the commitment is not that of this seed and these terms",
    }


def test_verify_prints_names_that_the_terminal_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    data = document(entrant(1, None, name="Zoë 松"))
    screen = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(screen, encoding="ascii", write_through=True))
    assert run(monkeypatch, json.dumps(data).encode()) == 0
    assert b"  -  Zo? ?: absent" in screen.getvalue()


@pytest.mark.parametrize(
    "text",
    [
        *(b'{"format": "talon-race"}', b'{"format": 1}', b'{"format": ' + b"[" * 100_000, b" " * 4_000_001),
        b'{"rules": 1, "pad": "' + b"x" * 1_000_000 + b'"}',
        b'{"format": "talon-race", "version": ' + b"9" * 5000 + b"}",
    ],
)
def test_verify_reports_unusable_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: bytes
) -> None:
    assert run(monkeypatch, text) == 2
    assert capsys.readouterr().err.startswith("games.rules: ")


def test_a_full_race_of_longest_records_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens, clock = ["t10-t11x1"[:6], "u"] * 2500, [10**8] * 5000
    longest = record(0) | {"tokens": tokens, "clock": clock, "end": {"how": "resigned", "ms": 10**8}}
    Record.from_json(longest)
    data = document(
        *(entrant(n, None, state="retired", cards_up=0, elapsed_ms=1, tokens=1, record=longest) for n in range(16))
    )
    assert run(monkeypatch, json.dumps(data).encode()) == 1


def without_looking_ahead(*tokens: str, **race: Any) -> dict[str, Any]:
    """Return the file of a race in which no reveal may be undone, with one entrant's line."""
    clock = [900 * n for n in range(1, len(tokens) + 1)]
    of = record(len(tokens)) | {"tokens": list(tokens), "clock": clock}
    data = document(entrant(1, of), **race)
    terms = RaceFile.from_json(data).terms
    data["race"]["commitment"] = race_commitment(terms, commitment(SEED))
    return data


def test_an_undone_reveal_is_reported_where_it_is_forbidden() -> None:
    assert checked(without_looking_ahead("d", "u")).ok
    found = checked(without_looking_ahead("d", "u", free_undo=False))
    assert [(problem.entrant, problem.code) for problem in found.problems] == [(1, "undone_reveal")]
    assert checked(without_looking_ahead("d", "u", "d", free_undo=False)).problems == found.problems
    assert checked(without_looking_ahead("d", free_undo=False)).ok


def test_the_undo_rule_is_bound_by_the_commitment() -> None:
    data = without_looking_ahead("d", free_undo=False)
    assert RaceFile.from_json(data).to_json() == data
    del data["race"]["free_undo"]
    assert [problem.code for problem in checked(data).problems] == ["wrong_commitment"]


@pytest.mark.parametrize("value", [True, None, 0])
def test_free_undo_is_false_or_left_out(value: object) -> None:
    data = without_looking_ahead("d", free_undo=False)
    data["race"]["free_undo"] = value
    with pytest.raises(RaceError):
        RaceFile.from_json(data)
    with pytest.raises(RaceError):
        RaceFile.from_json(first_version(without_looking_ahead("d", free_undo=False)))


def test_winners_come_first_by_time_then_by_tokens() -> None:
    scores = [
        Score("won", 52, 900, 70),
        Score("won", 52, 800, 90),
        Score("won", 52, 800, 80),
        Score("retired", 51, 1, 1),
    ]
    assert places(scores) == [3, 2, 1, 4]


def test_others_are_placed_by_cards_progress_time_and_more_tokens() -> None:
    scores = [
        Score("timed_out", 30, 900, 10, 100),
        Score("retired", 30, 100, 11, 90),
        Score("timed_out", 30, 900, 12, 90),
        Score("timed_out", 31, 900, 99, 800),
    ]
    assert places(scores) == [4, 3, 2, 1]


def test_resigning_at_once_never_beats_playing_on() -> None:
    """Nobody brought a card up: one resigned after 0.6 s, and one played for 45 s."""
    assert places([Score("retired", 4, 600, 0, NO_PROGRESS), Score("retired", 4, 45_000, 30, NO_PROGRESS)]) == [2, 1]


def test_scores_without_progress_time_are_placed_by_time_and_fewer_tokens() -> None:
    assert places([Score("retired", 30, 100, 12), Score("retired", 30, 100, 11), Score("retired", 30, 99, 13)]) == [
        3,
        2,
        1,
    ]


def test_equal_scores_share_a_place_and_skip_the_next() -> None:
    won = [Score("won", 52, 5, 5), Score("won", 52, 5, 5)]
    lost = [Score("timed_out", 9, 12, 9, 7), Score("retired", 9, 9, 9, 7)]
    assert places([*won, *lost, Score("retired", 8, 1, 1, 1)]) == [1, 1, 3, 3, 5]


def test_the_disqualified_are_last_and_the_absent_unplaced() -> None:
    scores = [Score("disqualified", 52, 1, 1), Score("absent"), Score("retired", 0, 0, 0), Score("disqualified")]
    assert places(scores) == [2, None, 1, 2]
    assert places([Score("absent")]) == [None]
    assert places([Score("disqualified")]) == [1]
    assert places([]) == []


def test_missing_figures_rank_just_before_the_disqualified() -> None:
    assert places([Score("disqualified"), Score("timed_out"), Score("retired", 0, 9, 9), Score("won")]) == [4, 2, 1, 2]


def test_places_do_not_depend_on_the_entrants_order() -> None:
    dice = random.Random(7)
    for _ in range(300):
        scores = [
            Score(dice.choice(ranking.OUTCOMES), *(dice.randrange(3) for _ in FIGURES))
            for _ in range(dice.randrange(1, 17))
        ]
        found = dict(zip(scores, places(scores), strict=True))
        mixed = dice.sample(scores, len(scores))
        assert places(mixed) == [found[score] for score in mixed]
        placed = sorted(place for place in places(scores) if place is not None)
        assert all(place <= at for at, place in enumerate(placed, 1))
