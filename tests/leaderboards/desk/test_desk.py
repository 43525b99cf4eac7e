"""The staff's desk: content, permissions and actions."""

from __future__ import annotations

import re
import uuid
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games.appeals.models import Appeal, Report
from games.attempts.lifecycle import DealClosedError, start_attempt
from games.core.verdict_reasons import reason
from games.fairplay import account_links
from games.fairplay.foresight import Foresight
from games.fairplay.foresight_store import FORM
from games.models import Attempt, Decision, ForesightFigures, SeenDeal, StaffNote, Start
from leaderboards.boards.rank_keys import BoardScore
from leaderboards.desk.review_queue import queue
from leaderboards.desk.top_places import HIGH_FORESIGHT, noted_places
from leaderboards.verdicts import decisions
from tests import factories
from tests.factories import make_account
from tests.leaderboards import raced
from tests.leaderboards.desk.conftest import Browser, MakeStaff, begun, over, reviewed, todays, verified

pytestmark = pytest.mark.django_db
QUEUE = "/admin/games/attempt/queue/"
State = Attempt.State
WHY = {"state": "rejected", "why": "Too fast for hands."}


def at(name: str, attempt: Attempt) -> str:
    return reverse(f"admin:desk_{name}", args=[attempt.public_id])


def text(response: Any) -> str:
    return re.sub(r"\s+", " ", response.content.decode())


def waiting(deal: Any, score: BoardScore, **fields: Any) -> Attempt:
    attempt = factories.finished(deal, state=State.REVIEW, started_at=begun(deal), tokens=[], **fields)
    attempt.cards_up, attempt.elapsed_ms, attempt.tokens = score[:3]
    attempt.save()
    return attempt


def test_the_front_page_counts_what_waits_for_staff(browser: Browser, make_staff: MakeStaff) -> None:
    doubted = waiting(todays(), BoardScore(50, 60_000, 100))
    Appeal.objects.create(attempt=doubted, text="I was fast.", made_at=timezone.now())
    Report.objects.create(attempt=doubted, reporter=make_account(), reason="speed", text="", made_at=timezone.now())
    shown = re.compile(r'<a href="([^"]+)">([^<]*: \d+)</a>')
    front = browser(make_staff("view_attempt", "view_appeal", "view_report")).get(reverse("admin:index"))
    found = shown.findall(text(front))
    assert [title for _, title in found] == ["Attempts under review: 1", "Open appeals: 1", "Open reports: 1"]
    assert all(front.client.get(address).status_code == 200 for address, _ in found)
    assert shown.findall(text(browser(make_staff("view_deal")).get(reverse("admin:index")))) == []


def test_top_places_of_open_and_recent_deals_come_first() -> None:
    today, recent, old = todays(), over(days=2), over(days=40)
    for deal in (today, recent, old):
        for cards in (50, 40, 30):
            factories.listed(deal, BoardScore(cards, 60_000, 100))
    found = {
        "third today": waiting(today, BoardScore(35, 60_000, 100)),
        "first of an old deal": waiting(old, BoardScore(52, 60_000, 100)),
        "second of a recent deal": waiting(recent, BoardScore(45, 60_000, 100)),
        "first of a recent deal": waiting(recent, BoardScore(52, 60_000, 100)),
        "first today": waiting(today, BoardScore(52, 60_000, 100)),
        "of no board": waiting(today, BoardScore(0, 0, 0), ranked=False),
    }
    verified(today)
    names = {attempt.public_id: name for name, attempt in found.items()}
    queued = queue()
    assert [names[one.attempt.public_id] for one in queued.waiting] == [
        "first today",
        "first of a recent deal",
        "second of a recent deal",
        "third today",
        "of no board",
        "first of an old deal",
    ]
    assert [one.place for one in queued.waiting] == [1, 1, 2, 3, None, 1]
    assert queued.total == 6


def test_an_appeal_comes_first_however_old(looker: Any, browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboards.desk.review_queue.READ", 2)
    old = waiting(over(days=40), BoardScore(10, 60_000, 100))
    first, second = (waiting(deal, BoardScore(52, 60_000, 100)) for deal in (todays(), over(days=2)))
    assert old.public_id not in {one.attempt.public_id for one in queue().waiting}
    found = Appeal.objects.create(attempt=old, text="I was quick.", made_at=timezone.now())
    assert [one.attempt.public_id for one in queue().waiting] == [old.public_id, first.public_id, second.public_id]
    assert queue().waiting[0].is_appealed
    assert "appealed" in text(browser(looker).get(QUEUE))
    Appeal.objects.filter(pk=found.pk).update(decision="rejected", answered_at=timezone.now())
    assert not any(one.is_appealed for one in queue().waiting)


def test_the_queue_links_to_the_attempts(looker: Any, browser: Browser) -> None:
    attempt = reviewed(todays("braid"))
    page = text(browser(looker).get(QUEUE))
    assert at("attempt", attempt) in page
    assert "<code>burst</code>" in page


def top(deal: Any, **figures: Any) -> Attempt:
    """Return a verified game that has been measured."""
    attempt = verified(deal)
    found = {**msgspec.to_builtins(Foresight("stonewall", applicable=True)), **figures}
    ForesightFigures.objects.create(attempt=attempt, form=FORM, figures=found, made_at=timezone.now())
    return attempt


def started(attempt: Attempt, device: str = "", network: bytes = b"", **fields: Any) -> None:
    mark = uuid.uuid5(uuid.NAMESPACE_URL, device) if device else uuid.uuid4()
    fields = {"made_at": attempt.started_at, "deal": attempt.deal, **fields}
    Start.objects.create(attempt=attempt, device=mark, network=network, **fields)


def signs() -> dict[uuid.UUID, list[str]]:
    return {one.attempt.public_id: one.signs for one in noted_places()}


def test_top_places_with_high_figures_are_noted(looker: Any, browser: Browser, decider: Any) -> None:
    foresighted = top(todays(), z=HIGH_FORESIGHT)
    alike = top(todays("tarot"), solver={"count": 50, "same": 50})
    top(todays("plot"), z=HIGH_FORESIGHT - 0.1, solver={"count": 50, "same": 25})
    top(todays("braid"), z=9.0, game="braid")  # foresight tells nothing there
    top(over(days=9), z=9.0)
    decided = top(over(days=2), z=9.0)
    decisions.decide(decided.pk, State.VERIFIED, decider, "Fine.")
    assert signs() == {foresighted.public_id: ["high foresight"], alike.public_id: ["close to the solver"]}
    page = text(browser(looker).get(QUEUE))
    assert at("attempt", foresighted) in page
    assert "high foresight" in page


def test_a_guest_who_looks_at_the_deal_meanwhile_is_noted(looker: Any, browser: Browser) -> None:
    deal, meanwhile = todays(), "started by another player on the same device during the game"
    attempt, guest = top(deal), verified(deal, make_account(is_guest=True))
    assert attempt.finished_at
    started(attempt, "browser")
    started(guest, "browser", made_at=attempt.finished_at)
    assert meanwhile in signs()[attempt.public_id]
    assert meanwhile in text(browser(looker).get(QUEUE))
    assert at("attempt", guest) in text(browser(looker).get(at("attempt", attempt)))
    guests = Start.objects.filter(attempt=guest)
    guests.update(made_at=attempt.finished_at + timedelta(seconds=1))
    assert signs()[attempt.public_id] == ["another player on the same device"]
    guests.update(made_at=attempt.finished_at, attempt=None)  # the guest is deleted
    assert meanwhile in signs()[attempt.public_id]


def test_links_at_any_deal_and_networks_at_the_same_are_noted() -> None:
    deal, other = todays(), todays("plot")
    device, network, alone = top(deal), top(deal), top(deal)
    started(device, "browser", b"")
    started(network, network=bytes([1] * 16))
    started(alone, "own browser", bytes([2] * 16))
    started(verified(other), "browser", bytes([2] * 16))
    started(verified(deal), "", bytes([1] * 16))
    started(verified(other, alone.player), "own browser")
    assert signs() == {
        device.public_id: ["another player on the same device"],
        network.public_id: ["another player of this deal on the same network"],
    }


def test_linked_racers_are_noted_and_listed(looker: Any, browser: Browser) -> None:
    scout, racer, other, other_deal = (top(deal) for deal in [todays()] * 3 + [todays("plot")])
    race = raced.race([scout.player, racer.player, other.player])
    for attempt, group in ((scout, 1), (racer, 1), (other, 0)):
        race.entrants.filter(player=attempt.player).update(attempt=attempt, link_group=group)
    raced.race([other_deal.player]).entrants.update(attempt=other_deal, link_group=1)
    link = ["another racer on the same device or network"]
    assert signs() == {scout.public_id: link, racer.public_id: link}
    page = text(browser(looker).get(at("attempt", racer)))
    assert at("attempt", scout) in page
    assert at("attempt", other) not in page
    assert "in this race, on the same device or network" in page


def test_noted_places_take_a_fixed_number_of_queries(django_assert_num_queries: Any) -> None:
    for variant in ("stonewall", "plot", "tarot"):
        top(todays(variant), z=9.0)
        with django_assert_num_queries(3):
            noted_places()


@pytest.mark.parametrize("name", ["queue", "attempt", "replay", "steps", "lines", "together"])
def test_only_permitted_staff_may_look(name: str, make_staff: MakeStaff, browser: Browser) -> None:
    attempt = reviewed(over("braid"))
    address = reverse(f"admin:desk_{name}", args=[] if name in {"queue", "together"} else [attempt.public_id])
    for client in (Client(), browser(make_account())):
        assert client.get(address).status_code == 302
    for staff in (make_staff(), make_staff("decide_attempt"), make_staff("view_user", "ban_user")):
        assert browser(staff).get(address).status_code == 403


@pytest.mark.parametrize("name", ["decide", "undo", "note"])
def test_only_permitted_staff_may_decide_and_note(
    name: str, looker: Any, make_staff: MakeStaff, browser: Browser
) -> None:
    attempt = reviewed(over("braid"))
    sent = {**WHY, "text": "Seen.", "decision": "1"}
    assert browser(make_account()).post(at(name, attempt), sent).status_code == 302
    for staff in (looker, make_staff(), make_staff("decide_attempt")):
        assert browser(staff).post(at(name, attempt), sent).status_code == 403
        assert (
            browser(staff).post(reverse("admin:desk_together"), {**WHY, "attempt": attempt.public_id}).status_code
            == 403
        )
    attempt.refresh_from_db()
    assert (attempt.state, Decision.objects.count(), StaffNote.objects.count()) == (State.REVIEW, 0, 0)
    assert 'name="why"' not in text(browser(looker).get(at("attempt", attempt)))


def test_staff_cannot_decide_or_note_about_their_own_game(decider: Any, browser: Browser) -> None:
    attempt, client = reviewed(over("braid"), decider), browser(decider)
    assert "Someone else decides" in text(client.get(at("attempt", attempt)))
    assert "Someone else has to decide" in text(client.post(at("decide", attempt), WHY, follow=True))
    assert client.post(at("note", attempt), {"text": "Honest."}).status_code == 403
    attempt.refresh_from_db()
    assert (attempt.state, StaffNote.objects.count()) == (State.REVIEW, 0)


def test_staff_who_have_not_played_may_watch(looker: Any, browser: Browser) -> None:
    attempt, client = reviewed(todays("braid")), browser(looker)
    assert "play it ranked any more" in text(client.get(at("attempt", attempt)))
    assert not SeenDeal.objects.exists()
    page = client.get(at("replay", attempt))
    assert page.status_code == 200
    assert at("steps", attempt) in text(page)
    steps = client.get(at("steps", attempt)).json()
    assert len(steps["moved"]) == attempt.tokens
    # Other visitors still see nothing.
    assert client.get(reverse("games:steps", args=[attempt.public_id])).status_code == 403


def test_staff_who_watched_a_deal_play_it_unranked(looker: Any, browser: Browser) -> None:
    deal = todays("braid")
    browser(looker).get(at("replay", reviewed(deal)))
    with pytest.raises(DealClosedError):
        start_attempt(looker, deal)
    assert deal.closes_at is not None
    after = deal.closes_at + timedelta(hours=2)
    assert not start_attempt(looker, deal, now=after).ranked


@pytest.mark.parametrize("state", [State.PLAYING, State.VERIFIED])
def test_staff_who_play_an_open_deal_watch_no_one(state: State, looker: Any, browser: Browser) -> None:
    deal = todays("braid")
    attempt, other = reviewed(deal), reviewed(deal)
    if state == State.PLAYING:
        start_attempt(looker, deal)
    else:
        verified(deal, looker)
    client = browser(looker)
    for name in ("replay", "steps"):
        assert client.get(at(name, attempt)).status_code == 403
    assert client.get(at("lines", attempt), {"beside": str(other.public_id)}).status_code == 403
    assert at("replay", attempt) not in text(client.get(at("attempt", attempt)))
    assert not SeenDeal.objects.exists()


def test_staff_who_played_may_watch_after_the_reveal(looker: Any, browser: Browser) -> None:
    deal = over("braid")
    verified(deal, looker)
    assert browser(looker).get(at("steps", reviewed(deal))).status_code == 200
    assert not SeenDeal.objects.exists()


def test_a_running_game_is_not_at_the_desk(looker: Any, browser: Browser) -> None:
    attempt = start_attempt(make_account(), todays())
    for name in ("attempt", "replay", "steps"):
        assert browser(looker).get(at(name, attempt)).status_code == 404


def test_a_broken_record_has_a_page_but_no_replay(looker: Any, browser: Browser) -> None:
    deal = over()
    attempt = factories.finished(deal, record=factories.record_of(deal, ["u"]), state=State.REJECTED)
    assert browser(looker).get(at("attempt", attempt)).status_code == 200
    assert browser(looker).get(at("replay", attempt)).status_code == 404


def test_reasons_show_figures_and_gaps_are_drawn(looker: Any, browser: Browser) -> None:
    attempt = reviewed(todays("braid"))
    page = text(browser(looker).get(at("attempt", attempt)))
    (burst,) = (one for one in attempt.reasons if one["code"] == "burst")
    assert burst["message"] in page
    assert f"plays: {burst['plays']}" in page
    assert 'role="img" aria-labelledby="gaps-title gaps-desc"' in page
    described = re.search(r'<desc id="gaps-desc">(.*?)</desc>', page)
    assert described is not None
    assert re.search(r"plays: \d+, the shortest gap", described[1])
    assert 'class="desk-mark desk-play"' in page
    assert "style=" not in page.split('id="content-main"')[1]
    assert bytes(attempt.deal.seed).hex() not in page


def test_related_and_copied_attempts_are_linked(looker: Any, browser: Browser) -> None:
    deal, device = todays("braid"), "11111111-1111-4111-8111-111111111111"
    guest, other_deal = verified(deal), verified(over(days=9), make_account())
    copied, stranger = verified(deal), verified(deal)
    attempt = reviewed(deal)
    for one in (guest, other_deal, attempt):
        Start.objects.create(attempt=one, deal=one.deal, device=device, network=b"", made_at=one.started_at)
    attempt.reasons.append(reason("copied_line", "Decided before.", attempt=str(copied.public_id)))
    attempt.decisions_digest = b"-"  # as of a win
    attempt.save(update_fields=["reasons", "decisions_digest"])
    assert set(account_links.linked_to(attempt)) == {guest, other_deal}
    page = text(browser(looker).get(at("attempt", attempt)))
    for one in (guest, other_deal, copied):
        assert at("attempt", one) in page
    assert at("attempt", stranger) not in page
    compared = set(re.findall(r"beside=([-0-9a-f]+)", page))
    assert compared == {str(guest.public_id), str(copied.public_id)}
    assert at("attempt", attempt) in text(browser(looker).get(at("attempt", copied)))


def test_a_guest_on_the_same_network_is_beside_the_account(looker: Any, browser: Browser) -> None:
    deal = todays("braid")
    guest = verified(deal, make_account(is_guest=True))
    attempt = reviewed(deal)
    for one, minutes in ((guest, 0), (attempt, 20)):
        made_at = deal.opens_at + timedelta(minutes=minutes)
        Attempt.objects.filter(pk=one.pk).update(started_at=made_at)
        Start.objects.create(attempt=one, deal=deal, device=uuid.uuid4(), network=bytes(16), made_at=made_at)
    page = text(browser(looker).get(at("attempt", attempt)))
    assert "on the same network, 20 minutes earlier" in page
    assert f"beside={guest.public_id}" in page
    assert "20 minutes later" in text(browser(looker).get(at("attempt", guest)))


def test_two_lines_are_shown_side_by_side(looker: Any, browser: Browser) -> None:
    deal = todays()
    line = factories.line(deal, 30)
    half = line[: len(line) // 2]
    left, right = verified(deal, tokens=line), verified(deal, tokens=[*half, "u", half[-1]])
    page = browser(looker).get(at("lines", left), {"beside": str(right.public_id)})
    assert page.context["lines"].equal_moves == len(half)
    assert "<s>" in text(page)
    assert SeenDeal.objects.filter(player=looker, deal=deal).exists()
    another = verified(over())
    for beside in (str(another.public_id), "no-id", ""):
        assert browser(looker).get(at("lines", left), {"beside": beside}).status_code == 404


def test_a_decision_is_made_shown_and_undone(decider: Any, browser: Browser) -> None:
    attempt, client = reviewed(over("braid")), browser(decider)
    page = text(client.post(at("decide", attempt), WHY, follow=True))
    assert "Too fast for hands." in page
    assert "Warden 1" in page
    attempt.refresh_from_db()
    assert attempt.state == State.REJECTED
    sent = {"decision": attempt.decisions.get().pk, "why": "A second look."}
    page = text(client.post(at("undo", attempt), sent, follow=True))
    assert "A second look." in page
    attempt.refresh_from_db()
    assert attempt.state == State.REVIEW
    assert "no longer in force" in text(client.post(at("undo", attempt), sent, follow=True))


@pytest.mark.parametrize("sent", [{"state": "rejected"}, {"state": "pending", "why": "So."}, {"why": "So."}])
def test_a_decision_needs_a_reason_and_an_outcome(sent: dict[str, str], decider: Any, browser: Browser) -> None:
    attempt = reviewed(over("braid"))
    assert "Say what you decide" in text(browser(decider).post(at("decide", attempt), sent, follow=True))
    attempt.refresh_from_db()
    assert attempt.state == State.REVIEW


def test_notes_have_their_authors(decider: Any, looker: Any, browser: Browser) -> None:
    attempt = reviewed(over("braid"))
    browser(decider).post(at("note", attempt), {"text": "Asked her <b>twice</b>."})
    browser(decider).post(at("note", attempt), {"text": "  "})
    page = text(browser(looker).get(at("attempt", attempt)))
    assert "Asked her &lt;b&gt;twice&lt;/b&gt;." in page
    (note,) = StaffNote.objects.all()
    assert (note.by, note.attempt) == (decider, attempt)
    assert timezone.now() - note.made_at < timedelta(hours=1)
    with pytest.raises(TypeError):
        note.save()


def test_a_ring_is_banned_from_its_decision_page(make_staff: MakeStaff, browser: Browser) -> None:
    attempt = verified(over())
    query = {"player": str(attempt.player.public_id)}
    link = f"{reverse('admin:accounts_ban')}?player={attempt.player.public_id}"
    for rights, shown in ((), False), (("ban_user",), True):
        client = browser(make_staff("view_attempt", "decide_attempt", *rights))
        assert (link in text(client.get(reverse("admin:desk_together"), query))) == shown
        assert client.get(link).status_code == (200 if shown else 403)


def test_all_attempts_of_a_ring_are_on_one_page(decider: Any, browser: Browser) -> None:
    ring, client, address = (
        [make_account(), make_account()],
        browser(decider),
        reverse("admin:desk_together"),
    )
    found = [verified(over(days=days), who) for days, who in enumerate(ring * 2, 3)]
    practice = factories.finished(over(days=9), ring[0], ranked=False, state=State.VERIFIED)
    query = {"player": [str(who.public_id) for who in ring]}
    page = client.get(address, query)
    assert {one.attempt.public_id for one in page.context["together"].attempts} == {one.public_id for one in found}
    outcome = text(client.post(address, {**query, **WHY}, follow=True))
    assert "4 attempts decided." in outcome
    assert "Undo all made together" in outcome
    assert set(Attempt.objects.filter(state=State.REJECTED)) == set(found)
    assert practice.state == State.VERIFIED
    sent = {"decision": found[0].decisions.get().pk, "together": "1"}
    client.post(at("undo", found[0]), sent)
    assert not Attempt.objects.filter(state=State.REJECTED).exists()


@pytest.mark.parametrize("query", ["", "player=x", "attempt=11111111-1111-4111-8111-111111111111"])
def test_a_joint_decision_needs_attempts(query: str, decider: Any, browser: Browser) -> None:
    assert browser(decider).get(f"{reverse('admin:desk_together')}?{query}").status_code == 404
