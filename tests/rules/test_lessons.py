"""The lessons of the rules pages match the rules: every position, every legal move, and a way to the end."""

from __future__ import annotations

import gzip
import json
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from frontend.artwork import lessons
from games.manifests import MANIFESTS
from games.rules import GAMES, Table, from_position
from games.rules.explanations import explain

ROOT = Path(__file__).resolve().parents[2]
FILES = ROOT / "frontend" / "static" / "lessons"
PAGES = ROOT / "frontend" / "templates" / "games" / "rules"
Graph = list[dict[str, Any]]


def graph_of(game: str) -> Graph:
    found: Graph = json.loads((FILES / f"{game}.json").read_text())
    return found


def view_of(graph: Graph, place: int) -> dict[str, Any]:
    """Return the whole view of a position, assembled as the page does it."""
    one = graph[place]
    if "view" in one:
        return dict(one["view"])
    before, changes = view_of(graph, one["of"]), one["changes"]
    under = {**before["under"], **changes["under"]}
    piles = {**before["piles"], **changes["piles"]}
    return {**before, **changes, "piles": piles, "under": {name: count for name, count in under.items() if count}}


def walked(game: str, graph: Graph) -> Iterator[tuple[int, Table]]:
    """Yield every place of a graph with its table, reached by pushing tokens from the lesson's start."""
    ways: dict[int, tuple[str, ...]] = {0: ()}
    waiting = deque([0])
    while waiting:
        place = waiting.popleft()
        table = from_position(MANIFESTS[game].lesson.start)
        for token in ways[place]:
            table.push(token)
        yield place, table
        for token, following in graph[place].get("moves", {}).items():
            if following not in ways:
                ways[following] = (*ways[place], token)
                waiting.append(following)


def test_every_game_has_a_lesson() -> None:
    assert {path.stem for path in FILES.glob("*.json")} == set(GAMES)


@pytest.mark.parametrize("game", GAMES)
def test_a_graph_matches_the_rules(game: str) -> None:
    graph = graph_of(game)
    reached = dict(walked(game, graph))
    assert reached.keys() == set(range(len(graph)))
    for place, table in reached.items():
        one, seen = graph[place], table.view()
        assert view_of(graph, place) == {name: seen[name] for name in seen if name not in ("moves", "can_undo")}
        if "done" in one:
            assert MANIFESTS[game].lesson.is_done(table)
            assert "moves" not in one
            continue
        legal = table.legal_moves()
        if "run" in one:
            assert len(one["moves"]) == 1
            assert one["moves"].keys() <= set(legal)
        else:
            assert list(one["moves"]) == legal
        for token, following in one["moves"].items():
            table.push(token)
            assert table.position() == reached[following].position()
            table.pop()


@pytest.mark.parametrize("game", GAMES)
def test_reasons_match_the_rules(game: str) -> None:
    graph = graph_of(game)
    known: dict[int, dict[str, Any]] = {}
    checked = 0
    for place, table in walked(game, graph):
        one = graph[place]
        answers = known[place] = {**(known[one["of"]] if "of" in one else {}), **one["why"]}

        def reasons_for(name: str, to: str = "") -> Any:
            answer = answers[name]  # noqa: B023 - it is called at once
            usual, others = answer if isinstance(answer, list) else (answer, {})
            return graph[0]["reasons"][others.get(to, usual)]

        piles = [name for name in table.pile_names() if name[0] in "trw"]
        for pile in piles:
            for cards in range(1, len(table.pile(pile)) + 1):
                name = pile if cards == 1 else f"{pile}x{cards}"
                for to in ("", "f0", "t0"):
                    if to != pile:
                        expected = [reason.to_json() for reason in explain(table, pile, cards, to)]
                        assert reasons_for(name, to) == expected, (place, name, to)
                        checked += 1
            assert table.pile(pile) or answers.get(pile) is None
        assert reasons_for("f") == [reason.to_json() for reason in explain(table, "f0")]
        if "s" in table.pile_names():
            assert reasons_for("s") == [reason.to_json() for reason in explain(table, "s")]
    assert checked > 100


@pytest.mark.parametrize("game", GAMES)
def test_a_run_wins_without_a_choice(game: str) -> None:
    graph = graph_of(game)
    for place, table in walked(game, graph):
        if "run" not in graph[place]:
            continue
        at = place
        while "run" in graph[at]:
            ((token, at),) = graph[at]["moves"].items()
            assert token.endswith("-f")
            table.push(token)
        assert graph[at].get("done")
        assert table.is_won


@pytest.mark.parametrize("game", GAMES)
def test_the_aim_is_a_handful_of_moves_away(game: str) -> None:
    graph = graph_of(game)
    moves, places, seen = 0, {0}, {0}
    while not any(graph[place].get("run") or graph[place].get("done") for place in places):
        places = {to for place in places for to in graph[place]["moves"].values()} - seen
        seen |= places
        moves += 1
        assert places, "the aim cannot be reached"
    assert 2 <= moves <= 10


@pytest.mark.parametrize("game", GAMES)
def test_the_file_is_small_and_matches_the_script(game: str) -> None:
    text = (FILES / f"{game}.json").read_text()
    assert text == lessons.written(MANIFESTS[game].lesson), "run python -m frontend.artwork.lessons to write it again"
    assert len(gzip.compress(text.encode())) <= 40 * 1024


@pytest.mark.parametrize("game", GAMES)
def test_the_page_has_a_text_for_every_step(game: str) -> None:
    page = (PAGES / f"{game}.html").read_text()
    texts = page.partition("{% block lesson %}")[2].partition("{% endblock %}")[0].count("<li>")
    assert texts == len(MANIFESTS[game].lesson.steps) + 1
    assert {one["say"] for one in graph_of(game)} <= set(range(texts))
