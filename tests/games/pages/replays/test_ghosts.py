"""Pages of ghosts, challenges and the inbox."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from accounts.lifecycle.bans import ban_player
from accounts.models import Follow, User
from accounts.profile import avatars
from games.attempts.lifecycle import start_attempt
from games.bots.roster import BOTS
from games.core import limits
from games.core.errors import ErrorCode
from games.daily.page_header import header_of
from games.ghosts import challenges, lanes
from games.ghosts.models import Challenge
from games.inbox import notices
from games.inbox.models import Notice
from games.models import Attempt, Deal
from tests.factories import make_account, signed_in
from tests.games.ghosts.playing import end_running, open_deal, past_deal, played, practice_deal

pytestmark = pytest.mark.django_db(transaction=True)


def code_of(client: Client, path: str) -> tuple[int, str]:
    answer = client.get(path)
    return answer.status_code, answer.json()["error"]["code"]


def test_the_lane_of_a_closed_deal(client: Client, mine: Client, player: User) -> None:
    attempt = played(player, past_deal())
    lane = client.get(f"/ghosts/{attempt.public_id}/lane.json").json()
    expected = lanes.lane_of(attempt, str(player))
    assert lane == {
        "name": str(player), "goal": 52, "points": [list(point) for point in expected.points], "own": False
    }  # fmt: skip
    assert mine.get(f"/ghosts/{attempt.public_id}/lane.json").json()["own"] is True


@pytest.mark.parametrize("kind", ["today", "practice", "race"])
def test_the_lane_of_a_secret_deal_is_refused(
    kind: str, client: Client, mine: Client, player: User, rival: User
) -> None:
    deal = {"today": open_deal, "practice": practice_deal, "race": lambda: practice_deal(for_race=True)}[kind]()
    attempt = played(rival, deal, ranked=kind == "today")
    start_attempt(player, deal) if kind != "race" else None
    path = f"/ghosts/{attempt.public_id}/lane.json"
    assert code_of(mine, path) == code_of(client, path) == (403, ErrorCode.NOT_REVEALED)
    assert mine.get(f"/ghosts/{deal.pk}/").status_code == 403
    assert mine.post(f"/ghosts/{deal.pk}/start", {"ghost": attempt.public_id}).status_code == 403
    assert mine.post(f"/ghosts/{deal.pk}/start", {"ghost": "line"}).status_code == 403


def test_latest_ghosts_can_be_raced_at_once(client: Client, mine: Client, player: User) -> None:
    deal = past_deal()
    page = client.get("/ghosts/")
    assert [(shown.id, ghost.ghost) for shown, ghost in page.context["offers"]] == [(deal.pk, "line")]
    assert f'action="/ghosts/{deal.pk}/start"' in page.content.decode()
    practised = played(player, practice_deal("labyrinth"), ranked=False)
    offers = mine.get("/ghosts/").context["offers"]
    assert [(shown.id, ghost.ghost) for shown, ghost in offers] == [
        (deal.pk, "line"),
        (practised.deal_id, str(practised.public_id)),
    ]
    begun = mine.post(f"/ghosts/{practised.deal_id}/start", {"ghost": practised.public_id})
    assert begun.headers["Location"].endswith(f"?ghost={practised.public_id}")


def test_an_own_game_left_unfinished_is_no_ghost(mine: Client, player: User) -> None:
    left = played(player, practice_deal("labyrinth"), moves=3)
    assert mine.get("/ghosts/").context["offers"] == []
    ghosts = mine.get(f"/ghosts/{left.deal_id}/").context["ghosts"]
    assert [ghost.ghost for ghost in ghosts] == ["line", *BOTS]


def test_no_ghost_of_an_open_deal_is_listed(client: Client, mine: Client, player: User) -> None:
    played(player, open_deal(), ranked=True)
    start_attempt(player, practice_deal("labyrinth"))
    for visitor in (client, mine):
        page = visitor.get("/ghosts/")
        assert page.context["offers"] == []
        assert "No ghosts yet." in page.content.decode()


def test_a_bots_ghost_is_raced_in_practice(mine: Client, player: User) -> None:
    practised = played(player, practice_deal("labyrinth"), ranked=False)
    page = mine.get(f"/ghosts/{practised.deal_id}/").content.decode()
    assert re.findall(r'name="ghost" value="(\w+)"', page)[-3:] == list(BOTS)
    begun = mine.post(f"/ghosts/{practised.deal_id}/start", {"ghost": "rex"})
    table = mine.get(begun.headers["Location"]).content.decode()
    lane = re.search(r'"(/table/[\w-]+/line\.json\?racer=rex)"', table)
    assert lane
    answer = mine.get(lane[1]).json()
    assert (answer["name"], answer["own"]) == (BOTS["rex"].name, False)


def test_a_bots_ghost_is_raced_on_a_new_practice_deal(mine: Client, rival: User) -> None:
    begun = mine.post("/practice/start", {"name": "labyrinth", "ghost": "pip"})
    attempt = Attempt.objects.get()
    assert begun.headers["Location"] == f"/table/{attempt.public_id}/?ghost=pip"
    lane = mine.get(begun.headers["Location"]).context["ghost_url"]
    assert lane == f"/table/{attempt.public_id}/line.json?racer=pip"
    assert mine.get(lane).json()["name"] == BOTS["pip"].name
    assert code_of(signed_in(rival), lane) == (403, ErrorCode.NOT_YOURS)


@pytest.mark.parametrize("make", [open_deal, lambda name: practice_deal(name, for_race=True)], ids=["daily", "race"])
def test_a_bots_ghost_needs_a_known_deal(make: Callable[[str], Deal], mine: Client, player: User) -> None:
    deal = make("labyrinth")
    attempt = Attempt.objects.create(deal=deal, player=player, ranked=False, started_at=timezone.now())
    assert mine.post(f"/ghosts/{deal.pk}/start", {"ghost": "rex"}).status_code == 403
    assert mine.get(f"/table/{attempt.public_id}/line.json?racer=rex").status_code == 403
    assert "line.json" not in mine.get(f"/table/{attempt.public_id}/?ghost=rex").content.decode()


def test_a_ghost_is_raced_in_practice(client: Client, rival: User) -> None:
    attempt = played(rival, past_deal(), ranked=True)
    page = client.get(f"/ghosts/{attempt.deal_id}/")
    # A guest's is not listed, but can be raced.
    assert {ghost.ghost for ghost in page.context["ghosts"]} == {"line", *BOTS}
    begun = client.post(f"/ghosts/{attempt.deal_id}/start", {"ghost": attempt.public_id})
    made = Attempt.objects.exclude(pk=attempt.pk).get()
    assert begun.headers["Location"] == f"/table/{made.public_id}/?ghost={attempt.public_id}"
    assert not made.ranked
    table = client.get(begun.headers["Location"])
    assert table.context["ghost_url"] == f"/ghosts/{attempt.public_id}/lane.json"
    assert f'data-ghost="/ghosts/{attempt.public_id}/lane.json"' in table.content.decode()


def test_the_certified_line_is_raced_at_a_human_pace(client: Client, mine: Client) -> None:
    deal = past_deal()
    begun = client.post(f"/ghosts/{deal.pk}/start", {"ghost": "line"})
    made = Attempt.objects.get()
    table = client.get(begun.headers["Location"])
    assert table.context["ghost_url"] == f"/table/{made.public_id}/line.json"
    expected = lanes.line_of(deal, "")
    assert expected is not None
    assert client.get(table.context["ghost_url"]).json()["points"] == [list(point) for point in expected.points]
    assert code_of(mine, table.context["ghost_url"]) == (403, ErrorCode.NOT_YOURS)


def test_a_new_deals_line_is_stored_when_first_played(mine: Client, player: User) -> None:
    attempt = start_attempt(player, practice_deal())
    assert code_of(mine, f"/table/{attempt.public_id}/line.json") == (403, ErrorCode.NOT_REVEALED)
    assert mine.get(f"/table/{attempt.public_id}/?ghost=line").context["ghost_url"] == ""
    ranked = start_attempt(player, open_deal("labyrinth"))
    assert code_of(mine, f"/table/{ranked.public_id}/line.json") == (403, ErrorCode.NOT_REVEALED)


def test_only_ghosts_of_the_deal_are_raced(client: Client, mine: Client, player: User) -> None:
    deal, other = past_deal(), played(player, past_deal("plot"))
    attempt = start_attempt(player, deal)
    for ghost in ("", "nobody", str(uuid.UUID(int=1)), "lines", str(other.public_id)):
        assert client.post(f"/ghosts/{deal.pk}/start", {"ghost": ghost}).status_code == 404
        assert mine.get(f"/table/{attempt.public_id}/?ghost={ghost}").context["ghost_url"] == ""
    assert code_of(client, f"/ghosts/{uuid.uuid4()}/lane.json") == (404, ErrorCode.NOT_FOUND)
    assert Attempt.objects.count() == 2


def test_ghosts_are_never_raced_for_a_rank(mine: Client, player: User) -> None:
    deal = open_deal()
    attempt = start_attempt(player, deal)
    assert attempt.ranked
    own = played(player, deal)
    assert mine.get(f"/table/{attempt.public_id}/?ghost={own.public_id}").context["ghost_url"] == ""


def test_an_answer_is_played_beside_the_challenges_ghost(mine: Client, player: User, rival: User) -> None:
    sent = played(rival, practice_deal())
    attempt = challenges.answer(challenges.challenge(rival, sent), player)
    lane = f"/ghosts/{sent.public_id}/lane.json"
    for query in ("", "?ghost=line", f"?ghost={uuid.uuid4()}"):
        assert mine.get(f"/table/{attempt.public_id}/{query}").context["ghost_url"] == lane
    assert mine.get(lane).status_code == 200


def test_deal_and_replay_pages_link_to_ghosts(client: Client, player: User) -> None:
    deal = past_deal()
    attempt = played(player, deal)
    pages = (
        f"/deals/{deal.day}/{deal.variant}/",
        f"/replay/{attempt.public_id}/",
        f"/deals/{deal.day}/{deal.variant}/solution/",
    )
    for page in pages:
        assert f"/ghosts/{deal.pk}/" in client.get(page).content.decode()
    # A computed line has no meaningful times.
    assert ["where you spent time" in client.get(page).content.decode() for page in pages[1:]] == [True, False]
    today = open_deal("plot")
    assert "/ghosts/" not in client.get(f"/deals/{today.day}/{today.variant}/").content.decode()


def test_ghosts_are_watched_together_by_permitted_players(client: Client) -> None:
    ada, brook = User.objects.create_user("Ada"), User.objects.create_user("Brook")
    deal: Deal = past_deal()
    first, second = played(ada, deal, 1000, ranked=True), played(brook, deal, 2000, ranked=True)
    client.force_login(brook)
    page = client.get(f"/ghosts/{deal.pk}/")
    assert page.context["together"] == f"/replay/together/?game={second.public_id}&game={first.public_id}"
    assert client.get(page.context["together"]).status_code == 200


def send(player: User, attempt: Attempt, **fields: str) -> Any:
    return signed_in(player).post("/challenge/", {"attempt": attempt.public_id, **fields}, follow=True)


def test_a_finished_game_gets_a_challenge_link(ada: User, client: Client) -> None:
    page = send(ada, played(ada, past_deal()))
    made = Challenge.objects.get()
    assert page.redirect_chain == [(f"/challenge/{made.code}/", 302)]
    assert page.context["link"] == f"{settings.PUBLIC_URL}/challenge/{made.code}/"
    assert page.context["is_mine"] is True
    friend = client.get(f"/challenge/{made.code}/")
    assert "Ada challenges you" in friend.content.decode()
    assert re.search(rf'<h1>\s*<img class="avatar" src="{avatars.address_of("Ada")}"', friend.content.decode())
    assert (friend.context["goal"].cards_up, friend.context["is_mine"]) == (52, False)


def test_games_and_players_that_cannot_challenge(ada: User, brook: User, client: Client) -> None:
    attempt = played(ada, past_deal())
    assert client.post("/challenge/", {"attempt": attempt.public_id}).status_code == 401
    assert send(brook, attempt).status_code == 403
    today = played(ada, open_deal("plot"), ranked=True)
    refused = signed_in(ada).post("/challenge/", {"attempt": today.public_id}, headers={"accept": "application/json"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "no_challenge")
    for what in ("", "7", "00000000-0000-0000-0000-000000000000"):
        assert signed_in(ada).post("/challenge/", {"attempt": what}).status_code == 404
    assert not Challenge.objects.exists()


def test_challenges_are_limited(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "challenge", "1/h")
    attempt = played(ada, past_deal())
    assert send(ada, attempt).status_code == 200
    assert send(ada, attempt).status_code == 429


def test_a_challenge_by_name(ada: User, brook: User) -> None:
    attempt = played(ada, past_deal())
    sent = send(ada, attempt, name=" brook ")
    assert [str(message) for message in sent.context["messages"]] == ["Challenge sent to brook."]
    assert sent.context["addressee"].name == "Brook"
    assert header_of(brook.pk).unread == 1
    told = signed_in(brook).get("/inbox/").context["notices"]
    assert [(one.text, one.address, one.is_new) for one in told] == [
        ("Ada challenges you.", f"/challenge/{Challenge.objects.get().code}/", True)
    ]


def test_an_unknown_name_still_makes_the_link(ada: User) -> None:
    attempt = played(ada, past_deal())
    for name in ("Nobody", "Ada"):
        page = send(ada, attempt, name=name)
        assert page.context["addressee"] is None
        assert "link" in str(next(iter(page.context["messages"])))


def test_a_friends_challenge_is_seen_among_many_others(ada: User, brook: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "challenged", "3/d")
    Follow.objects.create(follower=brook, followed=ada)
    deal = practice_deal()
    for _ in range(5):
        stranger = make_account()
        send(stranger, played(stranger, deal), name="Brook")
    send(ada, played(ada, deal), name="brook")
    told = signed_in(brook).get("/inbox/").context["notices"]
    assert told[0].text == "Ada challenges you."
    assert len(told) == 4


def test_one_player_leaves_few_unread_challenges(ada: User, brook: User) -> None:
    Follow.objects.create(follower=brook, followed=ada)
    deal = practice_deal()
    pages = [send(ada, played(ada, deal), name="brook") for _ in range(5)]
    assert header_of(brook.pk).unread == notices.MAX_UNREAD_PER_SENDER
    assert [page.context["addressee"] is not None for page in pages] == [True] * 3 + [False] * 2
    assert "more challenges" in str(next(iter(pages[-1].context["messages"])))
    notices.mark_seen(brook.pk)
    assert send(ada, played(ada, deal), name="brook").context["addressee"].name == "Brook"


def test_one_networks_strangers_have_a_part_of_a_players_limit(
    ada: User, brook: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(limits.RATES, "notify", "1/d")
    deal, other = past_deal(), make_account()

    def arrives(sender: User, address: str) -> bool:
        fields = {"attempt": played(sender, deal).public_id, "name": "brook"}
        signed_in(sender).post("/challenge/", fields, REMOTE_ADDR=address)
        return Notice.objects.filter(player=brook, data__player=sender.pk).exists()

    assert arrives(ada, "203.0.113.7")
    assert not arrives(other, "203.0.113.7")
    assert arrives(other, "198.51.100.9")


def test_an_undelivered_challenge_can_be_sent_later(ada: User, brook: User, monkeypatch: pytest.MonkeyPatch) -> None:
    attempt = played(ada, past_deal())
    monkeypatch.setitem(limits.RATES, "challenged", "0/d")
    wanted = {"attempt": attempt.public_id, "name": "Brook"}
    refused = signed_in(ada).post("/challenge/", wanted, headers={"accept": "application/json"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "rate_limited")
    assert not Challenge.objects.exists()
    monkeypatch.setitem(limits.RATES, "challenged", "1/d")
    send(ada, attempt, name="brook")
    assert header_of(brook.pk).unread == 1


def test_an_unknown_code_is_not_found(client: Client, ada: User) -> None:
    made = challenges.challenge(ada, played(ada, past_deal()))
    assert client.get(f"/challenge/{made.code.swapcase()}/").status_code == 404
    assert client.post("/challenge/abc/start").status_code == 404
    ban_player(ada)
    assert client.get(f"/challenge/{made.code}/").status_code == 404
    assert client.post(f"/challenge/{made.code}/start").status_code == 404


def test_a_guest_answers_beside_the_ghost_without_seeing_cards(ada: User, client: Client) -> None:
    sent = played(ada, practice_deal())
    made = challenges.challenge(ada, sent)
    page = client.get(f"/challenge/{made.code}/")
    seed = bytes(sent.deal.seed).hex()
    assert seed not in page.content.decode()
    assert page.context["together"] == ""
    table = client.post(f"/challenge/{made.code}/start", follow=True)
    attempt = Attempt.objects.get(answer__challenge=made)
    assert table.redirect_chain == [(f"/table/{attempt.public_id}/", 302)]
    assert attempt.player.is_guest
    assert table.context["ghost_url"] == f"/ghosts/{sent.public_id}/lane.json"
    assert client.get(table.context["ghost_url"]).json()["name"] == "Ada"
    for path in (f"/replay/{sent.public_id}/", f"/replay/{sent.public_id}/steps.json", f"/ghosts/{sent.deal_id}/"):
        assert client.get(path).status_code == 403
    assert client.get(f"/challenge/{made.code}/").context["running"] == attempt.public_id
    assert seed not in table.content.decode()


def test_the_page_lists_the_answers_and_winners(ada: User, brook: User, player: User, mine: Client) -> None:
    made = challenges.challenge(ada, played(ada, practice_deal()))
    end_running(challenges.answer(made, brook), 1000)
    end_running(challenges.answer(made, player), 3000)
    page = mine.get(f"/challenge/{made.code}/")
    lines = [(line.place, line.player.name, line.outcome, line.own) for line in page.context["lines"]]
    assert lines == [(1, "Brook", "won", False), (2, "Ada", "", False), (3, str(player), "lost", True)]
    assert page.context["mine"].outcome == "lost"
    # After playing, the player may watch.
    assert mine.get(page.context["together"]).status_code == 200
    assert Client().get(f"/challenge/{made.code}/").context["together"] == ""


def test_both_sides_see_that_the_senders_game_was_paused(ada: User, client: Client) -> None:
    attempt = played(ada, practice_deal())
    made = challenges.challenge(ada, attempt)
    assert "was paused" not in client.get(f"/challenge/{made.code}/").content.decode()
    Attempt.objects.filter(pk=attempt.pk).update(paused_ms=130_500)
    for browser_of in (client, signed_in(ada)):
        page = browser_of.get(f"/challenge/{made.code}/")
        assert "The game was paused for 2:10.5, which doesn" in page.content.decode()
        assert page.context["goal"].elapsed_ms == attempt.elapsed_ms


def test_a_sender_cannot_answer(ada: User) -> None:
    made = challenges.challenge(ada, played(ada, past_deal()))
    refused = signed_in(ada).post(f"/challenge/{made.code}/start", headers={"accept": "application/json"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "no_challenge")


def test_the_inbox_shows_outcomes_and_marks_them_read(ada: User, brook: User) -> None:
    made = challenges.challenge(ada, played(ada, past_deal()))
    end_running(challenges.answer(made, brook), 1000)
    here = signed_in(ada)
    assert "Inbox, 1 new" in here.get("/practice/").content.decode()
    assert here.head("/inbox/").status_code == 200
    assert header_of(ada.pk).unread == 1  # a HEAD request does not mark them read
    page = here.get("/inbox/")
    assert [one.text for one in page.context["notices"]] == ["Brook beat your challenge."]
    assert header_of(ada.pk).unread == 0
    assert "Inbox, 1 new" not in here.get("/practice/").content.decode()
    assert [one.text for one in signed_in(brook).get("/inbox/").context["notices"]] == ["You beat Ada's challenge."]


def test_the_inbox_uses_current_names(ada: User, brook: User) -> None:
    challenges.challenge(ada, played(ada, past_deal()), to="Brook")
    User.objects.filter(pk=ada.pk).update(display_name="Augusta")
    assert signed_in(brook).get("/inbox/").context["notices"][0].text == "Augusta challenges you."
    ban_player(ada)
    assert signed_in(brook).get("/inbox/").context["notices"][0].text == "Someone challenges you."


def test_every_notice_has_a_text(player: User, rival: User, mine: Client) -> None:
    yesterday = timezone.now() - timedelta(days=1)
    for own, outcome in product((True, False), ("won", "lost", "even")):
        data = {"challenge": "code", "player": rival.pk, "own": own, "outcome": outcome}
        notices.put(player.pk, Notice.Kind.ANSWERED, data, yesterday)
    notices.put(player.pk, Notice.Kind.RATING_MOVED, {"address": "/boards/rating/", "before": 1620, "after": 1598})
    moved, *answered = mine.get("/inbox/").context["notices"]
    assert ("from 1620 to 1598" in moved.text, moved.address) == (True, "/boards/rating/")
    assert len({notice.text for notice in answered if str(rival) in notice.text}) == 6


def test_a_visitor_must_sign_in_for_an_inbox(client: Client) -> None:
    assert client.get("/inbox/").headers["Location"] == "/accounts/login/?next=/inbox/"
