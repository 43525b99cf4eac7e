"""Analysis service: permissions, limits, progress messages, and recovery when a worker dies."""

from __future__ import annotations

import itertools
import json
import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.test import Client
from django.utils import timezone

from accounts.lifecycle.erasure import erase_player
from accounts.lifecycle.export import export
from accounts.models import User
from accounts.sign_in.guests import BACKEND, create_guest
from games.analysis import analyses, queue_worker
from games.analysis.findings import Findings, Turn
from games.analysis.game_search import AnalysisReport, Task
from games.analysis.models import Analysis
from games.attempts.lifecycle import close_attempt, start_attempt
from games.core import limits
from games.core.errors import ErrorCode, Refusal
from games.core.player_networks import remember_network
from games.deals import publishing
from games.models import Attempt, Deal
from tests.factories import begin_practice, won_records

pytestmark = pytest.mark.usefixtures("requested_tasks")
RECORD = won_records("labyrinth")[0]
SOME = AnalysisReport(0.4, Findings([5, 4, -2, -2]))
ALL = AnalysisReport(1.0, Findings([5, 4, -1, -1], {0: "d d"}, [Turn(1, 2, [("d", 4)], 1)]), is_last=True)


def played(player: User, *, tokens: int = 3, **fields: Any) -> Attempt:
    """Create a finished practice game with the first tokens of a winning line."""
    return close_attempt(begin_practice(player, RECORD, *RECORD.tokens[:tokens], **fields).pk, "resigned")


def address(attempt: Attempt) -> str:
    return f"/replay/{attempt.public_id}/analysis.json"


def searching(monkeypatch: pytest.MonkeyPatch, *reports: AnalysisReport) -> list[Task]:
    """Replace every search by these reports, and return the tasks the searches got."""
    tasks: list[Task] = []

    def search(task: Task) -> Iterator[AnalysisReport]:
        tasks.append(task)
        yield from reports

    monkeypatch.setattr(queue_worker, "reports", search)
    return tasks


# Requests and progress messages.


def test_an_analysis_is_requested_made_and_viewed(
    player: User, mine: Client, requested_tasks: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = played(player)
    assert mine.get(address(attempt)).json() == {"state": "none", "percent": 0, "ahead": 0, "mine": False}
    response = mine.post(address(attempt))
    assert response.status_code == 202
    assert response.json() == {"state": "waiting", "percent": 0, "ahead": 0, "mine": True}
    assert requested_tasks[-1][0] == "talon.analyse"
    tasks = searching(monkeypatch, SOME, ALL)
    assert queue_worker.process_queue() == 1
    assert tasks == [Task(RECORD.open_table().position(), list(RECORD.tokens[:3]), seconds=queue_worker.SECONDS)]
    assert mine.get(address(attempt)).json() == {
        "state": "done",
        "percent": 100,
        "ahead": 0,
        "mine": False,
        "verdicts": [5, 4, -1, -1],
        "turns": [{"n": 1, "to": 2, "better": [["d", 4]], "unknown": 1}],
    }


def test_a_worker_thread_makes_the_real_search(player: User, mine: Client) -> None:
    attempt = played(player, solution=RECORD.to_bytes())
    mine.post(address(attempt))
    thread = queue_worker.processing.start()
    assert thread is not None
    thread.join(120)
    reply = mine.get(address(attempt)).json()
    assert (reply["state"], reply["verdicts"]) == ("done", [len(RECORD.tokens) - n for n in range(4)])


def test_one_game_is_analysed_once(player: User, mine: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    attempt = played(player)
    mine.post(address(attempt))
    mine.post(address(attempt))
    assert Analysis.objects.count() == 1
    searching(monkeypatch, ALL)
    queue_worker.process_queue()
    assert mine.post(address(attempt)).json()["state"] == "done"
    assert queue_worker.process_queue() == 0


def test_the_band_grows_while_the_search_goes_on(player: User, mine: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    attempt = played(player)
    mine.post(address(attempt))
    seen: list[dict[str, Any]] = []

    def search(_: Task) -> Iterator[AnalysisReport]:
        yield SOME
        seen.append(mine.get(address(attempt)).json())
        yield ALL

    monkeypatch.setattr(queue_worker, "reports", search)
    queue_worker.process_queue()
    working_on = {"state": "working", "percent": 40, "ahead": 0, "mine": True}
    assert seen == [{**working_on, "verdicts": [5, 4, -2, -2], "turns": []}]


def test_another_player_cannot_stop_an_analysis(player: User, mine: Client) -> None:
    attempt = played(player)
    mine.post(address(attempt))
    other = create_guest()
    assert analyses.status(attempt, player.pk).mine
    Analysis.objects.update(asked_by=other)
    assert not analyses.status(attempt, player.pk).mine


def test_the_queue_is_first_in_first_out(player: User, mine: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = played(player), played(player, tokens=2)
    mine.post(address(first))
    assert mine.post(address(second)).json()["ahead"] == 1
    tasks = searching(monkeypatch, ALL)
    queue_worker.process_queue()
    assert [len(task.tokens) for task in tasks] == [3, 2]


def test_networks_and_players_take_turns_in_the_queue(db: None) -> None:
    """Six accounts of one network ask for three analyses each; two others ask last."""

    def ask(player: User, address_: str) -> Attempt:
        attempt = played(player)
        client = Client(REMOTE_ADDR=address_)
        client.force_login(player, backend=BACKEND)
        assert client.post(address(attempt)).status_code == 202
        return attempt

    crowd = [create_guest() for _ in range(6)]
    for player in crowd:
        for _ in range(3):
            ask(player, "203.0.113.7")
    neighbour, other = create_guest(), create_guest()
    late, alone = ask(neighbour, "203.0.113.7"), ask(other, "198.51.100.9")
    assert analyses.status(alone, other.pk).ahead == 1
    order: list[int] = []
    while (analysis := queue_worker._claim()) is not None:
        Analysis.objects.filter(pk=analysis.pk).update(state="done", done_at=timezone.now())
        order.append(analysis.attempt_id)
    assert order.index(alone.pk) == 1
    assert order.index(late.pk) <= len(crowd) + 1, "the players of a network take turns too"
    again = ask(other, "198.51.100.9")
    ask(crowd[0], "203.0.113.7")
    claimed = queue_worker._claim()
    assert claimed is not None
    assert claimed.attempt_id == again.pk, "analyses of the last minutes count"


# Permissions and limits.


def ranked(player: User) -> Attempt:
    return close_attempt(start_attempt(player, publishing.todays_deal("labyrinth")).pk, "resigned")


def test_no_analysis_before_the_deal_is_revealed(player: User, mine: Client, client: Client) -> None:
    attempt = ranked(player)
    Analysis.objects.create(attempt=attempt, asked_at=timezone.now(), findings=ALL.findings.pack())
    now = timezone.now()
    for closes_at in (now + timedelta(hours=1), now - timedelta(minutes=59)):
        Deal.objects.filter(pk=attempt.deal_id).update(opens_at=now - timedelta(days=1), closes_at=closes_at)
        for visitor, method in itertools.product((mine, client), ("get", "post", "delete")):
            refused = getattr(visitor, method)(address(attempt))
            assert (refused.status_code, refused.json()["error"]["code"]) == (403, "not_revealed")
        assert 'id="analysis"' not in mine.get(f"/replay/{attempt.public_id}/").content.decode()
    Deal.objects.filter(pk=attempt.deal_id).update(closes_at=now - timedelta(minutes=61))
    # From now on for all visitors, signed in or not.
    assert client.get(address(attempt)).status_code == 200
    assert client.post(address(attempt)).status_code == 202
    assert 'id="analysis"' in client.get(f"/replay/{attempt.public_id}/").content.decode()


def test_an_account_may_analyse_its_own_daily_game_at_once(db: None, client: Client) -> None:
    account = User.objects.create_user("Ariadne")
    mine = Client()
    mine.force_login(account, backend=BACKEND)
    running = start_attempt(account, publishing.todays_deal("labyrinth"))
    assert mine.post(address(running)).status_code == 403
    attempt = close_attempt(running.pk, "resigned")
    assert mine.post(address(attempt)).status_code == 202
    page = mine.get(f"/replay/{attempt.public_id}/").content.decode()
    assert 'id="analysis"' in page
    assert 'id="play-on"' not in page, "the deal is still secret"
    client.force_login(User.objects.create_user("Theseus"), backend=BACKEND)
    assert client.get(address(attempt)).json()["error"]["code"] == "not_revealed"


def test_no_analysis_while_the_game_runs(player: User, mine: Client) -> None:
    attempt = start_attempt(player, publishing.practice_deal("labyrinth"))
    assert mine.post(address(attempt)).status_code == 403


def test_a_player_may_analyse_a_running_practice_game(player: User, mine: Client, client: Client) -> None:
    attempt = played(player)
    start_attempt(player, attempt.deal)
    assert mine.post(address(attempt)).status_code == 202
    for other in (client, Client()):
        assert other.get(address(attempt)).json()["error"]["code"] == "not_revealed"
        client.force_login(create_guest(), backend=BACKEND)
    assert client.get("/replay/00000000-0000-4000-8000-000000000000/analysis.json").status_code == 404


def test_analyses_are_limited_per_player_and_per_site(
    player: User, mine: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = [mine.post(address(played(player))).status_code for _ in range(4)]
    assert codes == [202, 202, 202, 409]
    monkeypatch.setattr(analyses, "MAX_QUEUED_FOR_GUESTS", 3)
    with pytest.raises(Refusal) as refusal:
        analyses.ask(played(other := create_guest()), other.pk)
    assert refusal.value.code == ErrorCode.SERVER_BUSY
    account = User.objects.create_user("Ariadne")
    assert analyses.ask(played(account), account.pk).state == "waiting", "guests cannot keep accounts out"
    monkeypatch.setattr(analyses, "MAX_QUEUED_FOR_GUESTS", 9)
    monkeypatch.setattr(analyses, "MAX_OF_NETWORK", 3)
    for guest in (player, other):
        remember_network(guest.pk, "203.0.113.7")
    with pytest.raises(Refusal):
        analyses.ask(played(other), other.pk)
    monkeypatch.setattr(analyses, "MAX_QUEUED", 4)
    with pytest.raises(Refusal):
        analyses.ask(played(account), account.pk)


def test_requests_are_throttled(player: User, mine: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "analyse", "1/h")
    attempt = played(player)
    assert [mine.post(address(attempt)).status_code for _ in range(2)] == [202, 429]


# Interruptions.


def requested(player: User, **fields: Any) -> Analysis:
    values: dict[str, Any] = {"asked_by": player, "asked_at": timezone.now(), **fields}
    return Analysis.objects.create(attempt=played(player), **values)


def test_cancelling_by_the_requester_ends_the_search(
    player: User, mine: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    analysis = requested(player)
    ended: list[bool] = []

    def search(_: Task) -> Iterator[AnalysisReport]:
        try:
            yield SOME
            mine.delete(address(analysis.attempt))
            yield SOME
            raise AssertionError("nobody listens any more")
        finally:
            ended.append(True)

    monkeypatch.setattr(queue_worker, "reports", search)
    queue_worker.process_queue()
    assert ended
    assert not Analysis.objects.exists()


def test_others_cannot_cancel_and_finished_ones_stay(player: User, mine: Client) -> None:
    theirs = requested(player, asked_by=create_guest())
    done = requested(player, state="done", done_at=timezone.now(), findings=ALL.findings.pack())
    for analysis in (theirs, done):
        assert mine.delete(address(analysis.attempt)).status_code == 204
    assert Analysis.objects.count() == 2


def test_a_dead_workers_analysis_resumes_from_its_last_report(player: User, monkeypatch: pytest.MonkeyPatch) -> None:
    working_on: dict[str, Any] = {"state": "working", "claim": uuid.uuid4(), "tries": 1}
    alive = requested(player, seen_at=timezone.now(), **working_on)
    dead = requested(
        player, seen_at=timezone.now() - queue_worker.SILENCE * 1.1, findings=SOME.findings.pack(), **working_on
    )
    tasks = searching(monkeypatch, ALL)
    assert queue_worker.process_queue() == 1
    assert [task.known for task in tasks] == [SOME.findings]
    assert {row.pk: row.state for row in Analysis.objects.all()} == {alive.pk: "working", dead.pk: "done"}


def test_a_worker_that_was_taken_for_dead_changes_nothing(player: User, monkeypatch: pytest.MonkeyPatch) -> None:
    analysis = requested(player)

    def search(_: Task) -> Iterator[AnalysisReport]:
        Analysis.objects.update(claim=uuid.uuid4())
        yield ALL

    monkeypatch.setattr(queue_worker, "reports", search)
    queue_worker.process_queue()
    analysis.refresh_from_db()
    assert (analysis.state, analysis.findings) == ("working", None)


def test_a_crashed_search_is_retried_a_few_times(
    player: User, mine: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    analysis = requested(player)
    tasks = searching(monkeypatch, SOME)
    assert queue_worker.process_queue() == queue_worker.TRIES == len(tasks)
    reply = mine.get(address(analysis.attempt)).json()
    assert (reply["state"], reply["verdicts"]) == ("done", SOME.findings.verdicts)
    assert RECORD.open_table().position() not in caplog.text


def test_a_failed_analysis_can_be_requested_again(player: User, mine: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    analysis = requested(player)
    searching(monkeypatch)
    queue_worker.process_queue()
    assert mine.get(address(analysis.attempt)).json()["state"] == "failed"
    assert mine.post(address(analysis.attempt)).json()["state"] == "waiting"


# Deletion and export.


def test_an_analysis_is_deleted_with_its_game_only(player: User) -> None:
    asker = create_guest()
    analysis = requested(player, asked_by=asker, state="done", done_at=timezone.now())
    erase_player(asker)
    analysis.refresh_from_db()
    assert analysis.asked_by is None
    erase_player(player)
    assert not Analysis.objects.exists()


def test_exports_of_player_and_requester_include_the_analysis(player: User) -> None:
    asker = create_guest()
    analysis = requested(player, asked_by=asker, state="done", done_at=timezone.now(), findings=ALL.findings.pack())
    exported = {user.pk: json.loads(async_to_sync(whole)(user))["analyses"] for user in (player, asker)}
    public_id = str(analysis.attempt.public_id)
    assert [(one["attempt"], one["asked_by_you"], one["verdicts"]) for one in exported[player.pk]] == [
        (public_id, False, [5, 4, -1, -1])
    ]
    assert [(one["attempt"], one["asked_by_you"], one["verdicts"]) for one in exported[asker.pk]] == [
        (public_id, True, None)
    ]


async def whole(user: User) -> str:
    return "".join([piece async for piece in export(user)])


@pytest.mark.parametrize("make", [ranked, played])
def test_the_page_compares_with_par(player: User, mine: Client, make: Callable[[User], Attempt]) -> None:
    attempt = make(player)
    Deal.objects.filter(pk=attempt.deal_id).update(proven=True, par=53)
    Attempt.objects.filter(pk=attempt.pk).update(state="verified", tokens=3, cards_up=9, elapsed_ms=3000)
    page = f"/replay/{attempt.public_id}/"
    if attempt.deal.day is not None:
        assert "par 53 moves" not in mine.get(page).content.decode()
        Deal.objects.filter(pk=attempt.deal_id).update(closes_at=timezone.now() - timedelta(hours=2))
    text = mine.get(page).content.decode()
    assert "This game: 9 cards up" in text
    assert "par 53 moves" in text
