"""`benchmarks.capacity`: the model of a day, of the resources it needs, and of the check against a rush."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchmarks.capacity import COSTS, HELP, main, read
from benchmarks.capacity_check import NOTHING, Rush, compare, expected
from benchmarks.capacity_model import (
    DAY,
    GIB,
    LASTING,
    MIB,
    ONCE,
    STEP,
    Cost,
    Costs,
    Demand,
    Memory,
    Shape,
    Stored,
    arrived,
    limits,
    moments,
    needs,
)
from benchmarks.rush_parts import MOVES

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "capacity.md").read_text()
FREE = Costs(
    taken="2026-01-01",
    machine="none",
    tokens=100,
    moves_a_second=1.0,
    bare_view=1.0,
    each=dict.fromkeys((*ONCE, *LASTING), Cost()),
    stored=Stored(move=0, game=0, guest=0),
    memory=Memory(process_mib=0, worker_mib=0, socket_kib=0),
)
ALL = Cost(web=10, worker=2, postgres=3, redis=1, sent=4096, wal=512)
#: All costs are equal.
EVEN = replace(FREE, each=dict.fromkeys((*ONCE, *LASTING), ALL))
FLAT = Demand(players=DAY, rush=0.0, watching=0.0, racing=0.0, spectating=0.0)


def costing(cost: Cost, *names: str) -> Costs:
    """Return costs with all but these set to zero."""
    return replace(FREE, each={**FREE.each, **dict.fromkeys(names, cost)})


# --- The day ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rush", [0.0, 0.15, 1.0])
@pytest.mark.parametrize("minutes", [0.5, 5.0, 90.0])
def test_all_players_arrive_once(rush: float, minutes: float) -> None:
    demand = Demand(players=5000, rush=rush, minutes=minutes)
    assert sum(moment.arrivals for moment in moments(demand)) * STEP == pytest.approx(5000)
    assert arrived(demand, DAY) == pytest.approx(5000)
    assert arrived(demand, 0) == 0


def test_the_rush_peaks_at_midnight_and_fades_as_configured() -> None:
    day = list(moments(Demand()))
    assert max(day, key=lambda moment: moment.arrivals) is day[0]
    assert next(moments(Demand(rush=0.15, minutes=20.0))).arrivals < day[0].arrivals
    demand = Demand(players=1000, rush=1.0, minutes=10.0)
    assert arrived(demand, 600) == pytest.approx(1000 * (1 - 1 / math.e))  # by then, a third is left


def test_every_game_is_played_and_finished() -> None:
    demand = Demand(players=10_000, games=4, moves=50)
    day = list(moments(demand))
    assert sum(moment.finishes for moment in day) * STEP == pytest.approx(40_000, rel=1e-3)
    assert sum(moment.next_games for moment in day) * STEP == pytest.approx(30_000, rel=1e-3)
    assert sum(moment.moves for moment in day) * STEP == pytest.approx(40_000 * 50, rel=1e-3)


def test_an_even_day_is_constant() -> None:
    for moment in moments(FLAT):
        assert moment.arrivals == pytest.approx(1)
        assert moment.finishes == pytest.approx(FLAT.games)
        assert moment.playing == pytest.approx(FLAT.games * FLAT.game_seconds)
        assert moment.sockets == moment.playing


def test_the_peak_of_play_is_after_midnight() -> None:
    day = list(moments(Demand()))
    busiest = max(day, key=lambda moment: moment.playing)
    assert 5 * 60 < busiest.at < 60 * 60
    assert busiest.playing > 3 * day[-1].playing


def test_spectators_have_a_socket_too() -> None:
    beside = Demand(watching=0.1, racing=0.2, spectating=0.3)
    for moment in list(moments(beside))[:3]:
        assert moment.sockets == pytest.approx(1.6 * moment.playing)


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        *((Demand, "rush", 1.1), (Demand, "newcomers", -0.1), (Demand, "pace", 0.0), (Demand, "players", 0.0)),
        *((Demand, "minutes", math.inf), (Demand, "games", 0)),
        *((Shape, "busy", 0.0), (Shape, "busy", 1.5), (Shape, "cores", 0), (Shape, "pool", 0)),
    ],
)
def test_an_impossible_day_or_site_is_refused(kind: Callable[..., object], name: str, value: float) -> None:
    with pytest.raises(ValueError, match=name):
        kind(**{name: value})


# --- Needs -----------------------------------------------------------------------------------------------------------


def test_twice_the_players_need_twice_as_much() -> None:
    stored = replace(EVEN, stored=Stored(move=50, game=3000, guest=2000))
    once, twice = (asdict(needs(stored, Demand(players=players), Shape())) for players in (3e5, 6e5))
    counted = {name for name, value in once.items() if isinstance(value, int)} | {"web_memory_gib"}
    for name in once.keys() - counted:
        assert twice[name] == pytest.approx(2 * once[name]), name
    for name in counted:  # whole numbers, rounded up
        assert 2 * once[name] - 2 * 26 <= twice[name] <= 2 * once[name] + 26, name


@pytest.mark.parametrize("name", [*ONCE, *LASTING])
def test_every_measured_cost_is_counted(name: str) -> None:
    found = needs(costing(ALL, name), Demand(), Shape())
    assert found.web_cores > 0
    # Each keeps its ratio to the others at the same moment.
    assert found.worker_cores == pytest.approx(found.web_cores * 0.2)
    assert found.postgres_cores == pytest.approx(found.web_cores * 0.3)
    assert found.redis_cores == pytest.approx(found.web_cores * 0.1)


@pytest.mark.parametrize(
    ("name", "times"),
    [
        ("home", 0.3),
        ("home again", 0.7),
        ("hello", 0.3),
        ("leave again", 0.7 + 2),
        ("start again", 0.7 + 2),
        ("between", 1 + 2),
        ("move", 3 * 120),
        ("verdict", 3),
        ("socket", 3 * 360),
        ("watcher", 0.5 * 3 * 360),
        ("racer", 0.25 * 3 * 360),
        ("spectator", 0.125 * 3 * 360),
    ],
)
def test_each_cost_is_multiplied_by_its_frequency(name: str, times: float) -> None:
    beside = {"watching": 0.5, "racing": 0.25, "spectating": 0.125}
    demand = replace(FLAT, newcomers=0.3, games=3, moves=120, pace=3, **beside)
    if name == "socket":
        times *= 1 + sum(beside.values())
    found = needs(costing(Cost(web=1000), name), demand, Shape())  # a second of CPU each, and one arrival a second
    assert found.web_cores == pytest.approx(times)


def test_processes_follow_from_cores_and_sockets() -> None:
    hungry = costing(Cost(web=1000, worker=500, postgres=250, redis=125), "home", "home again")
    found = needs(hungry, replace(FLAT, players=7 * DAY), Shape(busy=0.5, cores=4, sockets=10**9))
    assert found.web_cores == pytest.approx(7)
    assert found.web_processes == 14
    assert found.worker_cores == pytest.approx(3.5)
    assert found.worker_processes == 7
    assert found.postgres_cores_wanted == 4
    assert found.redis_servers == 2
    assert found.servers == 6
    pooled = needs(hungry, FLAT, Shape(pool=24, sockets=10**9))
    assert pooled.database_connections == pooled.web_processes * (24 + 1) + pooled.worker_processes, "and a journal's"
    crowded = needs(FREE, FLAT, Shape(sockets=100))
    assert crowded.web_processes == math.ceil(crowded.sockets / 100 - 1e-6) > 5


def test_an_empty_site_needs_one_of_each() -> None:
    found = needs(FREE, Demand(players=1), Shape())
    assert (found.web_processes, found.worker_processes, found.postgres_cores_wanted) == (1, 1, 1)
    assert (found.redis_servers, found.servers) == (1, 1)


def test_bytes() -> None:
    full = replace(
        costing(Cost(sent=MIB, wal=MIB / 2), "home", "home again"),
        stored=Stored(move=GIB / DAY / 100, game=GIB / DAY, guest=GIB / DAY),
        memory=Memory(process_mib=512, worker_mib=0, socket_kib=1024),
    )
    found = needs(full, replace(FLAT, newcomers=0.5, moves=100), Shape())
    assert found.sent_mib_a_second == pytest.approx(1)
    assert found.sent_gib_a_day == pytest.approx(DAY / 1024)
    assert found.wal_mib_a_second == pytest.approx(0.5)
    assert found.wal_gib_a_day == pytest.approx(DAY / 2048)
    assert found.journal_gib == pytest.approx(2 * 3)  # two days of three games of 100 moves
    assert found.kept_gib_a_day == pytest.approx(3 + 0.5)
    assert found.web_memory_gib == pytest.approx((found.web_processes * 512 + found.sockets) / 1024)


def test_limits_give_the_players_that_reach_them() -> None:
    reached = limits(EVEN, Demand(), Shape())
    assert [limit.players for limit in reached] == sorted(limit.players for limit in reached)
    by_name = {limit.what: limit.players for limit in reached}
    assert len(by_name) == 7

    def at(what: str) -> Any:
        return needs(EVEN, Demand(players=by_name[what]), Shape())

    assert at("one web process").web_cores == pytest.approx(0.7)
    assert at("the two processes of one worker").worker_cores == pytest.approx(1.4)
    assert at("one Redis, which has one thread").redis_cores == pytest.approx(0.7)
    assert at("one PostgreSQL on 16 cores").postgres_cores == pytest.approx(0.7 * 16)
    assert at("PostgreSQL's 300 connections, 12 web processes").web_cores == pytest.approx(0.7 * 12)
    shared = at("web processes and workers on one server of 16 cores")
    assert shared.web_cores + shared.worker_cores == pytest.approx(0.7 * 16)


def test_limits_do_not_depend_on_the_number_of_players() -> None:
    few, many = (limits(EVEN, Demand(players=players), Shape()) for players in (10.0, 1e7))
    assert [one.what for one in few] == [one.what for one in many]
    assert [one.players for one in few] == pytest.approx([one.players for one in many])


# --- The check -------------------------------------------------------------------------------------------------------


def rush(**cpu: float) -> Rush:
    named = {name.replace("_", "-"): ms for name, ms in cpu.items()}
    return Rush(newcomers=200, returning=100, arrived=300, queued=0, cpu=named)


def test_a_rush_is_expected_to_cost_up_to_the_fifth_move() -> None:
    each = {**FREE.each, "home": Cost(web=3), "home again": Cost(web=30), "move": Cost(web=1), "verdict": Cost(web=99)}
    assert expected(replace(FREE, each=each), rush()).web == pytest.approx(2 + 10 + MOVES)


@pytest.mark.parametrize(("measured", "agrees"), [(12.5, True), (7.5, True), (12.6, False), (7.4, False)])
def test_the_tolerance_is_a_quarter(measured: float, agrees: bool) -> None:
    costs = costing(Cost(web=10), "home", "home again")
    web, *_ = compare(costs, rush(web_1=measured - 3, web_2=3.0, webmaster=50.0))
    assert web.kind == "web"
    assert web.measured == pytest.approx(measured)
    assert web.agrees is agrees


@pytest.mark.parametrize(("share", "agrees"), [(0.9, True), (1.1, False)])
def test_tiny_costs_are_not_compared(share: float, agrees: bool) -> None:
    _, worker, *_ = compare(FREE, rush(worker=NOTHING * share))
    assert worker.agrees is agrees


# --- The command -----------------------------------------------------------------------------------------------------


def written(path: Path, what: Any) -> str:
    path.write_bytes(msgspec.json.encode(what))
    return str(path)


def test_a_check_fails_when_one_rush_is_off(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    costs = written(tmp_path / "costs.json", costing(Cost(web=10), "home", "home again"))
    good = written(tmp_path / "good.json", {**asdict(rush(web_1=11.0)), "steps": {}, "moves": {}})
    bad = written(tmp_path / "bad.json", rush(web_1=19.0))
    assert main(["--costs", costs, "--check", good, good]) == 0
    assert "MISSED" not in capsys.readouterr().out
    assert main(["--costs", costs, "--check", good, bad]) == 1
    assert "MISSED" in capsys.readouterr().out


def test_the_check_does_not_fail_for_servers(tmp_path: Path) -> None:
    costs = written(tmp_path / "costs.json", FREE)
    assert main(["--costs", costs, "--check", written(tmp_path / "r.json", rush(postgres=50.0, redis=9.0))]) == 0


def test_json_has_all_needs_of_the_chosen_day_and_site(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--players", "5e3", "--games", "9", "--busy", "0.25", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["needs"] == asdict(needs(read(COSTS), Demand(players=5000, games=9), Shape(busy=0.25)))
    assert len(found["limits"]) == 7


def test_the_report_shows_the_date_of_measurement(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    said = capsys.readouterr().out
    assert read(COSTS).taken in said
    assert "100,000" in said


@pytest.mark.parametrize(
    "wrong", [["--pace", "0"], ["--games", "1.5"], ["--costs", "nowhere"], ["--check", "nowhere"], ["--busy", "2"]]
)
def test_invalid_options_end_with_2(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(wrong)
    assert ended.value.code == 2
    assert capsys.readouterr().err


@pytest.mark.parametrize(
    "said", [b"skipped", b"{}", msgspec.json.encode(rush()).replace(b'"arrived":300', b'"arrived":0')]
)
def test_an_unreadable_rush_ends_with_2(said: bytes, tmp_path: Path) -> None:
    (tmp_path / "rush.json").write_bytes(said)
    with pytest.raises(SystemExit) as ended:
        main(["--check", str(tmp_path / "rush.json")])
    assert ended.value.code == 2


def test_the_shipped_costs_are_complete() -> None:
    costs = read(COSTS)
    assert list(costs.each) == [*ONCE, *LASTING]
    assert all(value >= 0 for cost in costs.each.values() for value in asdict(cost).values())
    # These must cost something: a measurement that missed its processes is not stored.
    assert all(costs.each[name].web > 0 for name in ONCE)
    assert all(costs.each[name].postgres > 0 for name in ONCE if not name.startswith("leave"))
    assert costs.each["verdict"].worker > 0
    assert min(asdict(costs.stored).values()) > 0
    assert min(asdict(costs.memory).values()) > 0


# --- The page --------------------------------------------------------------------------------------------------------


def test_every_assumption_has_an_option_and_the_page_the_date_of_the_costs() -> None:
    assert HELP.keys() == {one.name for kind in (Demand, Shape) for one in fields(kind)}
    assert read(COSTS).taken in PAGE
