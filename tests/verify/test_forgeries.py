"""Browser checks on genuine and forged data: each forgery makes exactly the right checks fail."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.verify.node import in_node
from tests.verify.world import (
    DAY,
    World,
    deal_world,
    other_hash,
    practice_world,
    race_world,
    record_world,
    states,
    won,
)

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


def seed(world: World) -> None:
    world.document["seed"] = world.document["seed"][:-1] + ("0" if world.document["seed"][-1] != "0" else "1")


def token(world: World) -> None:
    world.document["solution"]["tokens"][7] = "t5-t4"


def line(world: World) -> None:
    """Change the opening in another deal's line, but keep its hash."""
    text = world.entries[14]["line"]
    world.entries[14]["line"] = text.replace("T00:00:00Z", "T01:00:00Z", 1)
    assert world.entries[14]["line"] != text


def order(world: World) -> None:
    world.entries[12], world.entries[13] = world.entries[13], world.entries[12]


def date(world: World) -> None:
    """Announce the deal after it opened, in a consistent ledger, with no head noted by the visitor."""
    forged = next(one for one in world.lines if one.variant == "stonewall")
    forged.published_at = forged.opens_at + timedelta(hours=3)
    world.rechain()
    world.head = None


def head(world: World) -> None:
    """Rewrite the whole ledger consistently."""
    for one in world.lines:
        one.published_at -= timedelta(days=1)
    world.rechain()


def commitment(world: World) -> None:
    world.document["commitment"] = other_hash("forged")


def index(world: World) -> None:
    world.document["ledger_index"] += 1


def race_place(world: World) -> None:
    first, second = world.document["entrants"][:2]
    first["place"], second["place"] = second["place"], first["place"]


def number(world: World) -> None:
    world.link = str(world.link).replace("42", "43")


@pytest.mark.parametrize(
    ("build", "forge", "failing"),
    [
        (deal_world, seed, {"replays", "commitment", "deck"}),
        (deal_world, token, {"replays", "server"}),
        (deal_world, line, {"chain"}),
        (deal_world, order, {"chain"}),
        (deal_world, date, {"ledger"}),
        (deal_world, head, {"head"}),
        (deal_world, commitment, {"commitment", "ledger"}),
        (deal_world, index, {"ledger"}),
        (race_world, race_place, {"places"}),
        (practice_world, number, {"number"}),
    ],
    ids=lambda part: getattr(part, "__name__", None),
)
def test_a_forgery_fails_only_its_own_checks(build: Callable[[], World], forge: Forgery, failing: set[str]) -> None:
    world = build()
    before = states(examined(world), "passed")
    forge(world)
    found = examined(world)
    assert states(found, "failed") == failing, found
    # Checks that the forgery does not touch still pass; only checks that depend on a failed one may stay open.
    assert states(found, "passed") >= before - failing - {"server", "head"}, found


def record_seed(world: World) -> None:
    seed(world)
    assert world.document["seed"]


def record_token(world: World) -> None:
    world.document["tokens"][7] = "t5-t4"


def race_token(world: World) -> None:
    world.document["entrants"][1]["record"]["tokens"][9] = "w-t0"


def race_figure(world: World) -> None:
    """State a time slower than the record's that leaves the places unchanged."""
    world.document["entrants"][1]["elapsed_ms"] += 1


def race_limit(world: World) -> None:
    world.document["race"]["limit_s"] = 5


def race_longer(world: World) -> None:
    world.document["race"]["limit_s"] = 1800


def race_start(world: World) -> None:
    world.document["race"]["starts_at"] = "2026-11-22T03:00:00.001Z"


def race_unrated(world: World) -> None:
    world.document["race"]["rated"] = False


def race_closed_early(world: World) -> None:
    """Claim that a resigned game was closed by the time limit."""
    gone = world.document["entrants"][2]
    gone["state"] = "timed_out"
    gone["record"]["end"]["how"] = "closed"


def race_seed(world: World) -> None:
    world.document["race"]["seed"] = "00" * 32


def deck(world: World) -> None:
    cards = world.document["deck"]
    cards[3], cards[4] = cards[4], cards[3]


def deal_day(world: World) -> None:
    world.document["day"] = "2026-11-21"


def linked_day(world: World) -> None:
    world.link = str(world.link).replace("2026-11-20", "2026-11-21")


def head_place(world: World) -> None:
    assert world.head
    world.head["index"] += 1


def entry_hash(world: World) -> None:
    world.entries[12]["hash"] = other_hash("forged")


def missing_line(world: World) -> None:
    del world.entries[12]


def linked_elsewhere(world: World) -> None:
    """Link a genuine file to another deal."""
    world.link = "/deals/2026-11-20/plot/"


def opening(world: World) -> None:
    """Write the line on the deal's day, and claim that the deal opened a week later."""
    forged = next(one for one in world.lines if one.variant == "stonewall")
    forged.published_at = forged.opens_at + timedelta(hours=3)
    forged.opens_at += timedelta(days=7)
    world.rechain()
    world.head = None


def withheld(world: World) -> None:
    """Leave out the winning line that the ledger announced."""
    world.document["solution"] = None


def given_up_line(world: World) -> None:
    world.document["solution"] |= {"tokens": [], "clock": [], "end": {"how": "resigned", "ms": 10}}


def announced_twice(world: World) -> None:
    """Return one deal two lines, with the record from the second, whose seed could be chosen after the first."""
    twice = next(one for one in world.lines if one.variant == "stonewall" and one.day.day == 21)
    world.document = won("stonewall", 1).to_json()
    world.link = None
    twice.day = DAY.date()
    twice.opens_at = DAY
    world.rechain()
    world.head = None


def daily_seed(world: World) -> None:
    """Claim that a practice deal's record is of a daily deal."""
    world.link = "/deals/2026-11-20/plot/"


def number_in_seed(world: World) -> None:
    """Present the seed of deal 43 as deal 42."""
    world.document["seed"] = world.document["seed"][:-1] + "b"


@pytest.mark.parametrize(
    ("build", "forge", "failing"),
    [
        (record_world, record_seed, {"replays", "server", "commitment"}),
        (record_world, record_token, {"replays", "server"}),
        (record_world, linked_day, {"commitment"}),
        (race_world, race_token, {"replays", "server"}),
        (race_world, race_figure, {"replays", "server"}),
        (race_world, race_seed, {"replays", "server", "commitment"}),
        (race_world, race_limit, {"limit", "commitment"}),
        (race_world, race_longer, {"commitment"}),
        (race_world, race_start, {"commitment"}),
        (race_world, race_unrated, {"commitment"}),
        (race_world, race_closed_early, {"limit"}),
        (deal_world, deck, {"deck"}),
        (deal_world, deal_day, {"ledger"}),
        (deal_world, head_place, {"head"}),
        (deal_world, entry_hash, {"chain"}),
        (deal_world, missing_line, {"chain"}),
        (deal_world, linked_elsewhere, {"ledger"}),
        (deal_world, opening, {"ledger"}),
        (deal_world, withheld, {"replays"}),
        (deal_world, given_up_line, {"replays"}),
        (record_world, announced_twice, {"commitment"}),
        (practice_world, daily_seed, {"commitment"}),
        (practice_world, number_in_seed, {"number"}),
    ],
    ids=lambda part: getattr(part, "__name__", None),
)
def test_other_forgeries_fail_their_checks(build: Callable[[], World], forge: Forgery, failing: set[str]) -> None:
    world = build()
    forge(world)
    found = examined(world)
    assert states(found, "failed") == failing, found


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
