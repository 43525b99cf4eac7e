"""Puzzles in the browser: right and wrong moves, the end of a try, and the home page's first entry."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from games.puzzles import shipped_file
from games.puzzles.move_check import step_of
from games.puzzles.puzzle import Puzzle
from games.puzzles.shipped_file import PuzzleRow
from games.puzzles.themes import themes_of
from tests.browser.conftest import PHONE, Site, Visit
from tests.browser.table_driver import Mouse, Touch, sign_up
from tests.games.puzzles.puzzles import TAROT, right, starters, wrong

#: Suits, which differ in renamed puzzles, and marks of face-down cards.
_SUIT = re.compile(r"(?<=[A2-9TJQK])[SHDC]|[*]")


class PuzzleMouse(Mouse):
    """A player of a puzzle by mouse."""

    def __init__(self, page: Any) -> None:
        self.page = page
        page.wait_for_selector("#felt .card")

    def play(self, token: str, *, drag: bool = False) -> None:
        super().play(token, drag=drag)
        if token in {"d", "n"} and self.page.query_selector("#felt[data-why]"):  # the first click only shows the move
            super().play(token)


class PuzzleTouch(Touch):
    """A player of a puzzle by touch."""

    __init__ = PuzzleMouse.__init__

    def play(self, token: str) -> None:
        super().play(token)
        if token in {"d", "n"} and self.page.query_selector("#felt[data-why]"):
            super().play(token)


def puzzle_on(page: Any) -> Puzzle:
    """Return the puzzle that a page shows."""
    return puzzle_with(json.loads(page.text_content("#puzzle-data"))["step"])


def puzzle_with(step: dict[str, Any]) -> Puzzle:
    """Return the shipped puzzle that starts with a step, whatever its suits are called there."""
    shown = step["view"]["piles"].items()
    piles = [f" {name} {'.'.join(map(_rank, cards))} " for name, cards in shown if cards and name[0] == "t"]
    texts = ((row, f"{_SUIT.sub('', row.contents['start'])} ") for row in shipped())
    alike = (Puzzle.from_json(row.contents) for row, text in texts if all(pile in text for pile in piles))
    return next(puzzle for puzzle in alike if _ranks(step_of(puzzle.table_at(0))["view"]) == _ranks(step["view"]))


def _rank(card: str) -> str:
    return card[0]


def _ranks(view: dict[str, Any]) -> tuple[Any, ...]:
    piles = {name: [*map(_rank, cards)] for name, cards in view["piles"].items() if name[0] != "f"}
    return view["game"], view["cards_up"], piles


@cache
def shipped() -> list[PuzzleRow]:
    return list(shipped_file.rows())


def begin_storm(page: Any) -> Puzzle:
    """Start a storm, and return its first puzzle."""
    with page.expect_response("**/current") as reply:
        page.click("text=Start")
    page.wait_for_selector("#felt .card")
    return puzzle_with(reply.value.json()["puzzle"]["step"])


def wait_for_text(page: Any, selector: str, text: str) -> None:
    page.wait_for_function(
        "([selector, text]) => document.querySelector(selector).textContent.includes(text)", arg=[selector, text]
    )


def solve(player: PuzzleMouse | PuzzleTouch, puzzle: Puzzle) -> None:
    """Play the right moves, each when the forced ones before it are over."""
    for turn, n in enumerate(puzzle.turns, 1):
        wait_for_text(player.page, "#turn", f"{turn}/")
        player.play(puzzle.line[n])
    wait_for_text(player.page, "#puzzle-say", "Solved!")


def test_todays_puzzle_is_solved(visit: Visit) -> None:
    page = visit("/", **PHONE, has_touch=True)
    page.click("text=Solve it")
    player, puzzle = PuzzleTouch(page), puzzle_on(page)
    assert page.is_hidden("#after-try")
    solve(player, puzzle)
    page.tap("text=Why not another move?")
    page.tap(".after-try details button")
    assert page.is_hidden(".after-try details button"), "the cards need the space"
    wait_for_text(page, "#puzzle-say", "No more cards fit.")
    page.tap("text=Back to the puzzle")
    wait_for_text(page, "#puzzle-say", "Without a mistake. Your streak: one day.")
    assert re.search("first to finish it|players solved it", page.text_content("#after-try") or "")
    assert page.locator("#after-try a").count() == len(themes_of(puzzle))
    page.click("#watch")
    page.wait_for_selector("#felt")
    wait_for_text(page, "#live", "The game is won.")
    page.reload()
    wait_for_text(page, "#puzzle-say", "Solved!")
    page.goto("/")
    for address in ("/", "/puzzles/days/"):
        page.goto(address)
        wait_for_text(page, ".todays-puzzle", "Streak: one day")
        wait_for_text(page, ".todays-puzzle", "Solved")


def test_a_tap_shows_where_a_card_can_go_and_a_second_one_plays(visit: Visit) -> None:
    page = visit("/puzzles/another/?variant=labyrinth", **PHONE, has_touch=True)
    player, puzzle = PuzzleTouch(page), puzzle_on(page)
    legal = json.loads(page.text_content("#puzzle-data"))["step"]["legal"]
    up = next(token for token in legal if token.endswith("-f"))
    blocked = next(f"t{n}" for n in range(48) if player.card(f"t{n}") and f"t{n}-f" not in legal)
    with page.expect_response("**/why.json?*"):
        page.touchscreen.tap(*player.middle(player.card(blocked)))
    page.wait_for_selector("#notice:not([hidden])")
    page.touchscreen.tap(*player.middle(player.card(up.split("-")[0])))
    page.wait_for_selector("#felt .card.chosen")
    if "d" in legal:
        page.touchscreen.tap(*player.middle("#slot-s"))
        page.wait_for_selector("#notice:has-text('Once more to play it.')")
    assert page.text_content("#turn").startswith("1/")
    assert page.text_content("#mistakes") == "0"
    page.tap("text=Rules")
    page.wait_for_selector("#rules-dialog[open] #rules-text h2")
    page.tap("#rules-dialog >> text=Close")
    solve(player, puzzle)


def test_the_move_that_loses_is_found_and_wins_and_loss_are_shown(visit: Visit, site: Site) -> None:
    page = visit(f"/puzzles/{site.control.ask('tarot_puzzle')}/", **PHONE, has_touch=True)
    player = PuzzleTouch(page)
    wait_for_text(page, "#puzzle-say", "One of your moves loses. Which? You have 7 moves with cards.")
    player.play(next(token for token in TAROT.table_at(0).legal_moves() if token in {"d", "n"}))
    page.wait_for_selector("#notice:has-text('Drawing never loses here.')")
    player.play(wrong(TAROT, 0))
    wait_for_text(page, "#puzzle-say", "That move wins.")
    page.tap("#show-loss")
    wait_for_text(page, "#puzzle-say", "The game is won.")
    page.tap("text=Back to the puzzle")
    wait_for_text(page, "#puzzle-say", "One of your moves loses.")
    player.play(right(TAROT, 0))
    wait_for_text(page, "#puzzle-say", "Solved! With one mistake.")
    page.tap("text=Watch the loss")
    wait_for_text(page, "#puzzle-say", "No more cards fit.")
    page.reload()
    wait_for_text(page, "#puzzle-say", "Solved!")


def test_wrong_moves_end_todays_puzzle(visit: Visit) -> None:
    page = visit("/puzzles/")
    player, puzzle = PuzzleMouse(page), puzzle_on(page)
    wrong = next(iter(puzzle.losses[0]))
    for left in reversed(range(int(page.text_content("#tries-left")))):
        player.play(wrong)
        wait_for_text(page, "#tries-left", str(left))
    wait_for_text(page, "#puzzle-say", "Not solved.")
    assert page.is_visible("#watch")
    assert page.is_visible("#share")


def test_another_puzzle_follows_without_a_limit_on_mistakes(visit: Visit) -> None:
    page = visit("/puzzles/")
    before = page.url
    page.click("#another")
    page.wait_for_url(lambda url: url != before)
    player, puzzle = PuzzleMouse(page), puzzle_on(page)
    for mistakes in range(1, 5):
        player.play(next(iter(puzzle.losses[0])))
        wait_for_text(page, "#mistakes", str(mistakes))
    page.click("text=Show why")
    wait_for_text(page, "#puzzle-say", "No more cards fit.")
    page.click("text=Back to the puzzle")
    wait_for_text(page, "#puzzle-say", "Your move:")
    solve(player, puzzle)


def test_cards_that_the_best_simulated_game_lacked_are_named_and_marked(visit: Visit) -> None:
    page = visit("/puzzles/another/?variant=labyrinth")
    player, puzzle = PuzzleMouse(page), puzzle_on(page)
    step = step_of(puzzle.table_at(0))
    lacks = [step["view"]["piles"]["t0"][0], step["hidden"]["s"][0], step["hidden"]["s"][1]]
    loss = {"best_up": 27, "games": 200, "goal": 52, "lacks": lacks}
    page.route("**/move", lambda route: route.fulfill(json=route.fetch().json() | {"loss": loss}), times=1)
    player.play(next(iter(puzzle.losses[0])))
    words = "From there, our computer tried 200 times, and its best was 27 of 52 cards up. It never got to: "
    wait_for_text(page, "#puzzle-say", words)
    assert page.locator("#felt .card.lacking").count() == page.locator("#hidden-cards .lacking").count() == 1
    solve(player, puzzle)
    assert page.locator(".lacking").count() == 0


def test_cards_stay_under_the_finger_after_a_right_move(visit: Visit) -> None:
    """The next message is shorter than the first one."""
    number = next(number for number, puzzle in enumerate(starters(), 1) if len(puzzle.turns) > 1)
    page = visit("/puzzles/", **PHONE, has_touch=True)  # stores the puzzles
    page.goto(f"/puzzles/{number}/")
    player, puzzle = PuzzleTouch(page), puzzle_on(page)
    top = page.locator("#felt").bounding_box()["y"]
    player.play(puzzle.line[0])
    wait_for_text(page, "#turn", "2/")
    assert abs(page.locator("#felt").bounding_box()["y"] - top) < 1


def test_a_tap_ends_the_forced_moves(visit: Visit) -> None:
    number, puzzle = next(
        (number, puzzle)
        for number, puzzle in enumerate(starters(), 1)
        if len(puzzle.turns) == 2 and puzzle.turns[1] > 2
    )
    page = visit("/puzzles/")  # stores the puzzles
    page.goto(f"/puzzles/{number}/")
    player = PuzzleMouse(page)
    assert puzzle_on(page) == puzzle
    page.evaluate("() => { window.later = window.setTimeout; window.setTimeout = () => 0; }")  # no move plays by itself
    player.play(puzzle.line[0])
    felt = page.locator("#felt").bounding_box()
    while not page.text_content("#turn").startswith("2/"):
        page.mouse.click(felt["x"] + felt["width"] - 3, felt["y"] + felt["height"] - 3)
    page.evaluate("() => { window.setTimeout = window.later; }")
    player.play(puzzle.line[-1])
    wait_for_text(page, "#puzzle-say", "Solved!")


def test_practice_goes_on_from_a_solved_puzzle(visit: Visit) -> None:
    page = visit("/puzzles/another/?variant=stonewall", fresh=True)
    player, puzzle = PuzzleMouse(page), puzzle_on(page)
    assert page.is_hidden("#play-on")
    solve(player, puzzle)
    page.click("#play-on button")
    page.wait_for_url("**/table/*/")
    at_table = Mouse(page)
    at_table.start()
    assert page.text_content("#moves") == str(len(puzzle.history))
    opening = json.loads(page.text_content("#opening"))
    assert opening["view"]["piles"] == puzzle.table_at(0).view()["piles"]
    at_table.play(puzzle.line[0])
    at_table.wait_played()


def test_ratings_follow_the_first_wrong_move_and_the_end_and_votes_come_after(visit: Visit) -> None:
    page = visit()
    sign_up(page, "Perdix")
    page.goto("/puzzles/another/?variant=labyrinth")
    player, puzzle = PuzzleMouse(page), puzzle_on(page)
    assert page.text_content("#rating") == "1500?"
    player.play(next(iter(puzzle.losses[0])))
    wait_for_text(page, "#puzzle-say", "Your puzzle rating: 1")
    lower = page.text_content("#rating")
    assert f"Your puzzle rating: {lower} (−" in (page.text_content("#puzzle-say") or "")
    assert int(lower.rstrip("?")) < 1500
    solve(player, puzzle)
    wait_for_text(page, "#puzzle-say", "This puzzle is rated ")
    assert page.text_content("#rating") == lower
    page.click("text=Report a mistake")
    page.wait_for_selector(".votes [aria-pressed=true] >> text=Report a mistake")
    page.reload()
    page.wait_for_selector(".votes [aria-pressed=true] >> text=Report a mistake")
    page.click("text=Next puzzle")
    page.wait_for_url("**/puzzles/*/?variant=labyrinth")
    page.goto("/players/me/")
    page.wait_for_selector("[data-of=puzzles] path.line")
    line = page.get_attribute("[data-of=puzzles] path.line", "d") or ""
    heights = [float(point.split()[1]) for point in re.split("[ML]", line)[1:]]
    assert len(heights) == 2, "from the start at 1500 to the rating after the try"
    assert heights[0] < heights[1]


def test_a_storm_switches_between_games(visit: Visit) -> None:
    """Games differ in their piles and in the size of cards."""
    puzzles = {puzzle.variant: puzzle for puzzle in starters()}
    order = ["braid", "labyrinth", "plot", "stonewall", "braid", "stonewall", "pigtail", "labyrinth"]
    steps = [step_of(puzzles[variant].table_at(puzzles[variant].turns[0])) for variant in order]
    state = {"at": 0, "turn": 0, "solved": 0, "mistakes": 0, "skips_left": 0, "ms_left": 170_000}
    reply = {"right": False, "state": state, "steps": []}
    following = iter({"title": f"Number {n}", "turns": 1, "step": step} for n, step in enumerate(steps))
    page = visit("/puzzles/storm/", **PHONE, has_touch=True)
    first = begin_storm(page)
    page.route("**/move", lambda route: route.fulfill(json=reply | {"next": next(following)}))
    player = PuzzleTouch(page)
    for n, (puzzle, step) in enumerate(zip([first, *map(puzzle_with, steps[:-1])], steps, strict=True)):
        player.play(next(iter(puzzle.losses[0])))
        wait_for_text(page, "#puzzle-say", f"Number {n}, one move")
        assert sorted(page.locator(".tally:visible").all_text_contents()) == sorted(counts(step["view"]))


def counts(view: dict[str, Any]) -> list[str]:
    """Return the pile counts that a table shows."""
    counted = ("s", "w", "r") if view["game"] == "plot" else ("s", "w")
    sizes = (len(view["piles"].get(pile, ())) + view["under"].get(pile, 0) for pile in counted)
    return [str(size) for size in sizes if size]


def test_a_storm_goes_on_after_right_and_wrong_moves(visit: Visit) -> None:
    page = visit("/puzzles/storm/", **PHONE, has_touch=True)
    first, player = begin_storm(page), PuzzleTouch(page)
    page.wait_for_function("() => document.querySelector('#run-clock').textContent < '3:00'")
    with page.expect_response("**/move") as reply:
        player.play(next(iter(first.losses[0])))
    wait_for_text(page, "#puzzle-say", "to find.")
    second = puzzle_with(reply.value.json()["next"]["step"])
    play_through(player, second)
    assert page.text_content("#run-clock") < "2:51"
    page.click("text=Give up")
    page.wait_for_url("**/puzzles/storm/")


def play_through(player: PuzzleTouch, puzzle: Puzzle) -> None:
    """Solve the first puzzle of a run that is solved."""
    for left, n in zip(range(len(puzzle.turns), 0, -1), puzzle.turns, strict=True):
        wait_for_text(player.page, "#puzzle-say", "one move" if left == 1 else f"{left} moves")
        player.play(puzzle.line[n])
    wait_for_text(player.page, "#run-solved", "1")


def test_a_streak_survives_a_reload_and_ends_with_a_mistake(visit: Visit) -> None:
    """With a puzzle skipped; then the mistake is shown, and waits for review."""
    page = visit("/puzzles/streak/", **PHONE, has_touch=True)
    puzzle, player = begin_storm(page), PuzzleTouch(page)
    play_through(player, puzzle)
    page.reload()
    page.wait_for_selector("#felt .card")
    wait_for_text(page, "#run-solved", "1")
    with page.expect_response("**/move") as reply:
        page.click("#skip")
    lost = puzzle_with(reply.value.json()["next"]["step"])
    page.wait_for_selector("#skip", state="hidden")
    page.click("text=Take a break")
    page.click("text=Resume")
    page.wait_for_selector("#felt .card")
    PuzzleTouch(page).play(next(iter(lost.losses[0])))
    page.click(".by-game >> text=Puzzle")
    page.click("text=Show my mistake")
    wait_for_text(page, "#puzzle-say", "After this move")
    page.click("text=Back to the puzzle")
    wait_for_text(page, "#puzzle-say", "Your move")
    page.goto("/puzzles/days/")
    assert page.locator("#review li").count() == 1
