"""Browser checks on genuine and forged data: each forgery makes exactly the right checks fail."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.verify.node import in_node
from tests.verify.world import DAY, World, deal_world, other_hash, practice_world, race_world, record_world, states, won

pytestmark = pytest.mark.needs("node")

DEAL_CHECKS = ["replays", "server", "commitment", "deck", "ledger", "chain", "head"]
RACE_CHECKS = ["replays", "server", "places", "limit", "commitment", "ledger", "chain", "head"]

Forgery = Callable[[World], object]


def examined(world: World) -> list[dict[str, Any]]:
    (found,) = in_node(("examine", world.asked()))
    assert {one["state"] for one in found} <= {"passed", "failed", "open"}
    return list(found)


@pytest.mark.parametrize("variant", ["braid-either", "labyrinth", "tarot", "plot", "stonewall"])
def test_a_genuine_deal_passes_every_check(variant: str) -> None:
    found = examined(deal_world(variant))
    assert [one["check"] for one in found] == DEAL_CHECKS
    assert states(found, "passed") == set(DEAL_CHECKS), found


def test_a_genuine_record_passes_every_check() -> None:
    found = examined(record_world())
    assert states(found, "passed") == {*DEAL_CHECKS}, found
    alone = record_world()
    alone.link = None
    assert states(examined(alone), "passed") == {*DEAL_CHECKS}


def test_a_genuine_race_passes_the_possible_checks() -> None:
    found = examined(race_world())
    assert [one["check"] for one in found] == RACE_CHECKS
    assert states(found, "open") == {"ledger"}
    assert states(found, "passed") == {*RACE_CHECKS} - {"ledger"}


def test_a_version_1_race_file_leaves_its_terms_open() -> None:
    found = examined(race_world(file_version=1))
    assert states(found, "open") == {"terms", "ledger"}
    assert states(found, "passed") == {*RACE_CHECKS} - {"ledger"}


def test_a_version_2_race_file_is_placed_by_elapsed_time() -> None:
    found = examined(race_world(file_version=2))
    assert states(found, "passed") == {*RACE_CHECKS} - {"ledger"}


@pytest.mark.parametrize(("file_version", "first"), [(2, "early"), (3, "late")])
def test_resigning_at_once_beats_playing_on_in_old_files_only(file_version: int, first: str) -> None:
    world = race_world("plot", file_version)
    del world.document["entrants"][:2]
    early, late = world.document["entrants"]
    late |= {**early, "id": late["id"], "record": early["record"] | {"tokens": ["d", "d"]}}
    for name, entrant, ms, tokens in (("early", early, 600, 1), ("late", late, 45_000, 2)):
        entrant |= {"elapsed_ms": ms, "tokens": tokens, "place": 1 if name == first else 2}
        entrant["record"] |= {"clock": [100, 40_000][:tokens], "end": {"how": "resigned", "ms": ms}}
    assert states(examined(world), "failed") == set()


def test_an_undone_reveal_fails_where_it_is_forbidden() -> None:
    for tokens, failing in ((["d", "u"], {"replays"}), (["d"], set())):
        for rule in ({}, {"free_undo": False}):
            world = race_world("plot", **rule)
            del world.document["entrants"][:2]
            (retired, _absent) = world.document["entrants"]
            retired |= {"place": 1, "cards_up": 1, "tokens": len(tokens)}
            retired["record"] |= {"tokens": tokens, "clock": [1] * len(tokens)}
            retired["elapsed_ms"] = retired["record"]["end"]["ms"]
            assert states(examined(world), "failed") == (failing if rule else set())


def test_an_entrant_under_review_has_no_place() -> None:
    world = race_world()
    first, *others = world.document["entrants"]
    first |= {"in_review": True, "place": None, "cards_up": None, "elapsed_ms": None, "tokens": None}
    for other in others[:-1]:
        other["place"] -= 1
    assert states(examined(world), "failed") == set()


def test_a_genuine_practice_deal_passes_the_possible_checks() -> None:
    found = examined(practice_world())
    assert states(found, "passed") == {"replays", "server", "number", "chain", "head"}
    assert states(found, "failed") == set()


def forge_seed(world: World) -> None:
    world.document["seed"] = world.document["seed"][:-1] + ("0" if world.document["seed"][-1] != "0" else "1")


def forge_line(world: World) -> None:
    """Change the opening in another deal's line, but keep its hash."""
    text = world.entries[14]["line"]
    world.entries[14]["line"] = text.replace("T00:00:00Z", "T01:00:00Z", 1)
    assert world.entries[14]["line"] != text


def swap(items: list[Any], one: int, other: int) -> None:
    items[one], items[other] = items[other], items[one]


def announce_late(world: World, later: timedelta = timedelta(0)) -> None:
    """Announce the deal after it opened, in a consistent ledger, with no head noted by the visitor."""
    forged = next(one for one in world.lines if one.variant == "stonewall")
    forged.published_at = forged.opens_at + timedelta(hours=3)
    forged.opens_at += later
    world.rechain()
    world.head = None


def rewrite_ledger(world: World) -> None:
    for one in world.lines:
        one.published_at -= timedelta(days=1)
    world.rechain()


def announce_twice(world: World) -> None:
    """Return one deal two lines, with the record from the second, whose seed could be chosen after the first."""
    twice = next(one for one in world.lines if one.variant == "stonewall" and one.day.day == 21)
    world.document = won("stonewall", 1).to_json()
    world.link = None
    twice.day = DAY.date()
    twice.opens_at = DAY
    world.rechain()
    world.head = None


def swap_places(world: World) -> None:
    first, second = world.document["entrants"][:2]
    first["place"], second["place"] = second["place"], first["place"]


def close_early(world: World) -> None:
    """Claim that a resigned game was closed by the time limit."""
    gone = world.document["entrants"][2]
    gone["state"] = "timed_out"
    gone["record"]["end"]["how"] = "closed"


def put(*path: Any, to: Any) -> Forgery:
    """Return a change of one value in the document."""

    def forge(world: World) -> None:
        holder = world.document
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = to

    return forge


def link_to(path: str) -> Forgery:
    return lambda world: vars(world).update(link=path)


#: Each with the checks that fail; all others still pass.
FORGERIES: dict[str, tuple[Callable[[], World], Forgery, set[str]]] = {
    "seed": (deal_world, forge_seed, {"replays", "commitment", "deck"}),
    "token": (deal_world, put("solution", "tokens", 7, to="t5-t4"), {"replays", "server"}),
    "line": (deal_world, forge_line, {"chain"}),
    "order": (deal_world, lambda world: swap(world.entries, 12, 13), {"chain"}),
    "date": (deal_world, announce_late, {"ledger"}),
    "head": (deal_world, rewrite_ledger, {"head"}),
    "commitment": (deal_world, put("commitment", to=other_hash("forged")), {"commitment", "ledger"}),
    "index": (deal_world, put("ledger_index", to=9), {"ledger"}),
    "place": (race_world, swap_places, {"places"}),
    "number": (practice_world, link_to("/practice/?name=plot&number=43"), {"number"}),
}
#: Forgeries after which other checks may stay open.
OTHERS: dict[str, tuple[Callable[[], World], Forgery, set[str]]] = {
    "record's seed": (record_world, forge_seed, {"replays", "server", "commitment"}),
    "record's token": (record_world, put("tokens", 7, to="t5-t4"), {"replays", "server"}),
    "record's day": (record_world, link_to("/deals/2026-11-21/stonewall/"), {"commitment"}),
    "race token": (race_world, put("entrants", 1, "record", "tokens", 9, to="w-t0"), {"replays", "server"}),
    "race seed": (race_world, put("race", "seed", to="00" * 32), {"replays", "server", "commitment"}),
    "race limit": (race_world, put("race", "limit_s", to=5), {"limit", "commitment"}),
    "longer race": (race_world, put("race", "limit_s", to=1800), {"commitment"}),
    "race start": (race_world, put("race", "starts_at", to="2026-11-22T03:00:00.001Z"), {"commitment"}),
    "unrated race": (race_world, put("race", "rated", to=False), {"commitment"}),
    "race closed early": (race_world, close_early, {"limit"}),
    "deck": (deal_world, lambda world: swap(world.document["deck"], 3, 4), {"deck"}),
    "deal's day": (deal_world, put("day", to="2026-11-21"), {"ledger"}),
    "head's place": (deal_world, lambda world: (world.head or {}).update(index=11), {"head"}),
    "entry's hash": (deal_world, lambda world: world.entries[12].update(hash=other_hash("forged")), {"chain"}),
    "missing line": (deal_world, lambda world: world.entries.pop(12), {"chain"}),
    "another deal's link": (deal_world, link_to("/deals/2026-11-20/plot/"), {"ledger"}),
    "opening": (deal_world, lambda world: announce_late(world, timedelta(days=7)), {"ledger"}),
    "withheld line": (deal_world, put("solution", to=None), {"replays"}),
    "given up line": (
        deal_world,
        lambda world: world.document["solution"].update(tokens=[], clock=[], end={"how": "resigned", "ms": 10}),
        {"replays"},
    ),
    "announced twice": (record_world, announce_twice, {"commitment"}),
    "practice as daily": (practice_world, link_to("/deals/2026-11-20/plot/"), {"commitment"}),
    "slower racer": (
        race_world,
        lambda world: world.document["entrants"][1].update(elapsed_ms=world.document["entrants"][1]["elapsed_ms"] + 1),
        {"replays", "server"},
    ),
    "earlier progress": (
        race_world,
        lambda world: world.document["entrants"][2].update(progress_ms=1),
        {"replays", "server"},
    ),
    "another number's seed": (
        practice_world,
        lambda world: world.document.update(seed=world.document["seed"][:-1] + "b"),
        {"number"},
    ),
}


@pytest.mark.parametrize("name", [*FORGERIES, *OTHERS])
def test_a_forgery_fails_only_its_own_checks(name: str) -> None:
    build, forge, failing = (FORGERIES | OTHERS)[name]
    world = build()
    before = states(examined(world), "passed") if name in FORGERIES else set()
    forge(world)
    found = examined(world)
    assert states(found, "failed") == failing, found
    # Checks that the forgery does not touch still pass; only checks that depend on a failed one may stay open.
    assert states(found, "passed") >= before - failing - {"server", "head"}, found


def test_nothing_is_claimed_without_ledger_or_server() -> None:
    world = deal_world()
    asked = world.asked() | {"ledger": None, "answers": {}}
    (found,) = in_node(("examine", asked))
    assert states(found, "open") == {"server", "ledger", "chain", "head"}
    assert states(found, "failed") == set()


def test_a_line_after_a_break_is_not_reported_missing() -> None:
    world = deal_world()
    world.entries[2]["hash"] = other_hash("forged")
    found = examined(world)
    assert states(found, "failed") == {"chain", "head"}
    assert states(found, "open") == {"ledger"}


@pytest.mark.parametrize("change", [{"end": {"how": "resigned", "ms": 10**9}}, {"clock": [5]}], ids=["end", "clock"])
def test_no_move_is_blamed_for_a_wrong_end_or_times(change: dict[str, Any]) -> None:
    world = record_world()
    world.document |= change
    (replayed,) = (one for one in examined(world) if one["check"] == "replays")
    assert (replayed["state"], replayed["says"]) == ("failed", "replays-end")


def test_links_lead_only_to_verifiable_pages_of_this_site() -> None:
    uuid = "3f0e8f0c-0000-4000-8000-000000000000"
    links = [
        "/deals/2026-11-20/plot/",
        "https://talon.example/deals/2026-11-20/plot/solution/",
        f"/replay/{uuid}/?n=3",
        "/races/abcd/2/",
        "/races/abcd/2/race.json",
        "https://elsewhere.example/deals/2026-11-20/plot/",
        "//elsewhere.example/deals/2026-11-20/plot/",
        "/practice/?name=plot&seed=" + "ab" * 32,
        "/admin/",
        "javascript:alert(1)",
    ]
    (found,) = in_node(("links", links))
    assert [one and one["file"] for one in found] == [
        "/deals/2026-11-20/plot/deal.json",
        "/deals/2026-11-20/plot/solution/record.json",
        f"/replay/{uuid}/record.json",
        "/races/abcd/2/race.json",
        "/races/abcd/2/race.json",
        None,
        None,
        None,
        None,
        None,
    ]


def test_other_text_is_not_accepted() -> None:
    texts = ["", "{", "[]", "null", "7", '{"rules": 1}', '{"format": "talon-race", "version": 1, "race": {}}']
    assert in_node(("texts", texts)) == [[None] * len(texts)]
