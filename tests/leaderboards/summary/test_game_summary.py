"""Summary after a game: place, comparisons, the day, and the next steps."""

from __future__ import annotations

import re
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone, translation
from hypothesis import given
from hypothesis import strategies as st

from accounts.sign_in.guests import create_guest
from games.analysis.findings import Findings, Turn
from games.analysis.models import Analysis
from games.analysis.positions import LOST
from games.attempts.lifecycle import start_attempt
from games.attempts.player_attempts import attempts_on
from games.core.ladders import Ladder
from games.daily import day_summary
from games.daily.shared_day import shared_day
from games.deals import first_game, publishing
from games.deals.difficulty import goal_of
from games.ghosts import challenges
from games.ghosts.models import Answer
from games.hints import questions
from games.models import Attempt, Deal
from games.presentation.view_models import ShownDeal
from games.replays.models import Continuation
from games.rules import CATALOGUE, End, Record
from leaderboards.boards.rank_keys import BoardScore
from leaderboards.summary import distributions
from leaderboards.summary.distributions import Distribution, in_bars
from leaderboards.summary.panel import GameSummary, ReferenceComparison
from tests import factories
from tests.factories import DAY, NOON, make_account, make_deal, signed_in

pytestmark = pytest.mark.django_db
NOW = timezone.now()
TODAY = NOW.date()
WON = goal_of("stonewall")


@pytest.fixture
def deal() -> Deal:
    return make_deal("stonewall", day=TODAY)


def game(of: Deal, cards: int = WON, ms: int = 300_000, moves: int = 100, who: Any = None, **fields: Any) -> Attempt:
    """Create a ranked game with this result."""
    attempt = factories.listed(of, BoardScore(cards, ms, moves), who=who, **fields).attempt
    if cards == goal_of(of.variant):
        attempt.end = Attempt.End.WON
        attempt.save(update_fields=["end"])
    return attempt


def earlier(days: int = 3, **result: Any) -> Attempt:
    finished_at = NOON - timedelta(days=days)
    return game(make_deal("stonewall", day=TODAY - timedelta(days=days)), finished_at=finished_at, **result)


def unranked(of: Deal, who: Any, **fields: Any) -> Attempt:
    nothing = Record(
        1, of.variant or of.game, None if of.variant else of.options, bytes(of.seed), (), (), End("won", 0)
    )
    attempt = factories.finished(of, who, record=nothing, ranked=False, state="verified", **fields)
    attempt.cards_up, attempt.elapsed_ms, attempt.tokens = goal_of("stonewall"), 280_000, 90
    attempt.save()
    return attempt


def after(attempt: Attempt) -> GameSummary:
    return GameSummary.of(attempt, attempt.player, NOW)


def address(attempt: Attempt) -> str:
    return reverse("boards:after", args=[attempt.public_id])


def panel(attempt: Attempt) -> str:
    return signed_in(attempt.player).get(address(attempt)).content.decode()


def test_only_the_games_player_sees_it(client: Client, deal: Deal) -> None:
    attempt = game(deal)
    assert signed_in(attempt.player).get(address(attempt)).status_code == 200
    for visitor in (client, signed_in(game(deal, ms=1).player), signed_in(make_account())):
        assert visitor.get(address(attempt)).status_code == 403


def test_there_is_none_during_a_game(deal: Deal) -> None:
    attempt = start_attempt(make_account(), deal)
    answer = signed_in(attempt.player).get(address(attempt))
    assert (answer.status_code, answer.content) == (204, b"")


def test_it_contains_no_cards_of_the_day(deal: Deal) -> None:
    text = panel(game(deal))
    assert bytes(deal.seed).hex() not in text
    assert "finish-challenge" not in text


def test_the_game_is_read_once(deal: Deal) -> None:
    own = game(deal)
    client = signed_in(own.player)
    with CaptureQueriesContext(connection) as found:
        client.get(address(own))
    by_name = [query for query in found.captured_queries if own.public_id.hex in query["sql"].replace("-", "")]
    assert len(by_name) == 1


def test_a_place_includes_the_number_of_players(deal: Deal) -> None:
    own = game(deal, ms=300_000)
    for ms in (100_000, 400_000, 500_000, 600_000):
        game(deal, ms=ms)
    found = after(own)
    assert found.own is not None
    assert (found.own.rank, found.own.of) == (2, 5)
    assert (found.headline, found.standing) == ("Your first Stonewall win", "Your result counts: 2nd of 5.")
    earlier(who=own.player)
    again = after(own)
    assert (again.headline, again.place, again.standing) == ("2nd of 5", "2nd of 5", "Your result counts.")
    with translation.override("fr"):
        assert again.place == "2e sur 5"


def test_a_place_alone_or_of_a_loss_is_no_headline(deal: Deal) -> None:
    own = game(deal)
    earlier(who=own.player)
    assert (after(own).headline, after(own).place, after(own).standing) == ("", "", "Your result counts.")
    lost = game(deal, cards=12)
    assert (after(lost).headline, after(lost).place, after(lost).standing) == ("", "", "Your result counts: 2nd of 2.")
    assert not after(lost).is_top_place


@pytest.mark.parametrize("state", ["pending", "review", "rejected"])
def test_a_game_without_a_place_has_next_steps(deal: Deal, state: str) -> None:
    make_deal("plot", day=TODAY)
    own = factories.finished(deal, state=state)
    found = after(own)
    assert (found.own, found.charts, found.comparisons, found.standing) == (None, [], [], "")
    assert found.today is not None
    assert 'id="finish-next"' in panel(own)


def test_a_win_is_compared_with_par_and_the_players_best(deal: Deal) -> None:
    deal.par = 104
    deal.save()
    who = earlier(ms=250_000, moves=120).player
    own = game(deal, ms=300_000, moves=100, who=who)
    assert after(own).comparisons == [
        ReferenceComparison("Par: 104 moves", "4 under", is_better=True),
        ReferenceComparison("Your best time: 4:10.0", "0:50.0 slower", is_better=False),
        ReferenceComparison("Your fewest moves: 120", "your best ever, by 20", is_better=True),
    ]
    assert "<b>Par</b> is the number of moves in a good solution" in panel(own)


def test_a_best_by_less_than_a_second_counts(deal: Deal) -> None:
    who = earlier(ms=300_400).player
    assert after(game(deal, ms=300_000, who=who)).comparisons == [
        ReferenceComparison("Your best time: 5:00.4", "your best ever, by 0.4 s", is_better=True),
        ReferenceComparison("Your fewest moves: 100", "the same", is_better=False),
    ]


def test_a_first_win_is_labelled_and_others_do_not_count(deal: Deal) -> None:
    earlier(ms=1)
    own = game(deal)
    assert after(own).is_first_win
    assert after(own).comparisons == []
    assert 'data-headline="Your first Stonewall win"' in panel(own)
    assert not after(game(publishing.todays_deal("plot", NOW), cards=3)).is_first_win
    practice = unranked(publishing.practice_deal("stonewall"), own.player, started_at=NOON - timedelta(days=9))
    assert after(practice).is_first_win
    assert not after(own).is_first_win


def test_a_player_without_wins_sees_the_most_cards(deal: Deal) -> None:
    who = earlier(cards=20).player
    own = game(deal, cards=23, who=who)
    assert after(own).comparisons == [
        ReferenceComparison("Your most cards up: 20", "your best ever, by 3", is_better=True)
    ]


def test_later_games_do_not_change_the_summary(deal: Deal) -> None:
    first = earlier(ms=300_000, moves=120)
    second = game(deal, ms=280_000, moves=100, who=first.player)
    later = NOON + timedelta(hours=1)
    game(make_deal("plot", day=TODAY), who=first.player, finished_at=later)
    game(
        make_deal("stonewall", day=TODAY + timedelta(days=1)),
        ms=1,
        moves=1,
        who=first.player,
        finished_at=later,
    )
    assert after(first).is_first_win
    assert [one.words for one in after(second).comparisons] == ["your best ever, by 0:20.0", "your best ever, by 20"]


def test_a_game_continued_from_a_replay_is_not_compared() -> None:
    origin = earlier(ms=300_000, moves=100)
    origin.deal.par = 104
    origin.deal.save()
    attempt = unranked(origin.deal, origin.player)
    assert len(after(attempt).comparisons) == 3
    Continuation.objects.create(attempt=attempt, origin=origin, n=80)
    assert after(attempt).comparisons == []


def test_charts_show_the_distribution_of_wins(deal: Deal) -> None:
    own = game(deal, ms=300_000, moves=100)
    for k in range(40):
        game(deal, ms=120_000 + k * 30_000, moves=80 + k)
    game(deal, cards=5, ms=10, moves=3)  # not a win
    game(deal, ms=10, moves=3, show=False)  # on no board
    times, moves = after(own).charts
    assert sum(bar.is_own for bar in times.bars) == sum(bar.is_own for bar in moves.bars) == 1
    assert (times.own.text, moves.own.text) == ("5:00.0", "100")
    assert "Times of 41 wins" in times.words
    assert moves.words == ("Moves in 41 wins: 80 to 119, half of them 100 or fewer. Yours: 100.")
    assert (times.title, moves.title) == ("Time: faster than 82%", "Moves: fewer than 47%")
    assert panel(own).count('role="img"') == 2


def test_a_loss_is_shown_among_the_losses(deal: Deal) -> None:
    own = game(deal, cards=12)
    for cards in (3, 12, 30, WON, WON, WON, WON):
        game(deal, cards=cards)
    (cards_up,) = after(own).charts
    assert cards_up.own.text == "12"
    assert "4 games without a win: 3 to 30" in cards_up.words


def test_few_results_are_not_drawn(deal: Deal) -> None:
    game(deal, ms=1)
    assert after(game(deal)).charts == []


def test_small_distributions_are_the_results_themselves(deal: Deal) -> None:
    results = [(WON, 1_000 * k * k, 60 + k % 7) for k in range(30)] + [(4, 5, 6), (9, 5, 6)]
    for cards, ms, moves in results:
        game(deal, cards=cards, ms=ms, moves=moves)
    game(deal, ladder=Ladder.NEWCOMERS)
    wins = [(ms, moves) for cards, ms, moves in results if cards == WON]
    times = distributions.read(deal, Ladder.ESTABLISHED, "times")
    assert dict(times.counts) == Counter(ms // times.unit * times.unit for ms, _ in wins)
    moves_of_wins = distributions.read(deal, Ladder.ESTABLISHED, "moves")
    assert (moves_of_wins.unit, dict(moves_of_wins.counts)) == (1, Counter(moves for _, moves in wins))
    assert distributions.read(deal, Ladder.ESTABLISHED, "cards").counts == [(4, 1), (9, 1)]


@given(
    st.dictionaries(st.integers(0, 400), st.integers(1, 50)),
    st.sampled_from([1, 7, 32_768]),
    st.integers(0, 500),
)
def test_bars_include_every_result_and_ones_own(counts: dict[int, int], unit: int, own: int) -> None:
    spread = Distribution(unit, [(value * unit, count) for value, count in sorted(counts.items())])
    bars = in_bars(spread, own * unit)
    assert sum(bars.heights) == spread.total
    assert 0 <= bars.own < len(bars.heights) <= distributions.BARS
    within = bars.first + bars.step * bars.own
    assert within <= own * unit
    assert own * unit < within + bars.step or bars.own == len(bars.heights) - 1


def test_the_day_is_summarized_with_the_next_deal(deal: Deal) -> None:
    deals = {one.variant: one for one in publishing.todays_deals(NOW)}
    own = game(deal)
    first, second, *_ = CATALOGUE  # stonewall is the last
    game(deals[first], cards=3, who=own.player)
    found = after(own).today
    assert found is not None
    assert (found.done, found.won, found.of) == (2, 1, 9)
    titles = {ShownDeal.of(one).title: name for name, one in deals.items()}
    assert [titles[title] for title, _ in found.marks] == [*CATALOGUE]
    assert {titles[title]: mark for title, mark in found.marks if mark != "open"} == {"stonewall": "won", first: "lost"}
    assert found.next is not None
    assert (found.next.variant, found.goes_on) == (second, False)
    assert "2 of 9 played today" in panel(own)
    assert reverse("games:play", args=[second]) in panel(own)
    left = [one for name, one in deals.items() if name not in {"stonewall", first}]
    for other in left:
        start_attempt(own.player, other)
    going = after(own).today
    assert going is not None
    assert going.next is not None
    assert (going.next.variant, going.goes_on) == (second, True)
    Attempt.objects.filter(state="playing").delete()
    for other in left:
        game(other, cards=1, who=own.player)
    assert after(own).today.next is None  # type: ignore[union-attr]
    assert "played all of today" in panel(own)


def test_a_day_with_a_coming_deal_is_of_nine(deal: Deal, monkeypatch: pytest.MonkeyPatch) -> None:
    ready = [one for one in publishing.todays_deals(NOW) if one.variant in {"stonewall", "plot"}]
    monkeypatch.setattr(publishing, "todays_deals", lambda _now: ready)
    own = game(deal)
    assert "1 of 9 played today" in panel(own)
    game(next(one for one in ready if one.variant == "plot"), cards=1, who=own.player)
    found = after(own).today
    assert found is not None
    assert (found.next, [mark for _, mark in found.marks].count("coming")) == (None, 7)
    assert "More are on the way" in panel(own)
    assert "New ones at" not in panel(own)


def test_the_days_summary_equals_the_home_pages(deal: Deal) -> None:
    deals = {one.variant: one for one in publishing.todays_deals(NOW)}
    own = game(deal)
    factories.finished(deals["plot"], own.player, state="rejected")
    factories.finished(deals["pigtail"], own.player, state="review")
    unranked(deals["braid"], own.player)  # as a guest
    start_attempt(own.player, deals["tarot"])
    attempts, day = attempts_on(own.player.pk, NOW.date()), shared_day(NOW)
    summary = day_summary.standing_of(own.player.pk, NOW, attempts, day.deals, day.boards).summary
    found = after(own).today
    assert found is not None
    assert summary is not None
    assert [mark for _, mark in found.marks] == list(summary.marks.values())
    assert (found.done, found.won, found.of) == (summary.played, summary.tally["won"], summary.of) == (2, 1, 9)


def test_the_streak_counts_consecutive_days(deal: Deal) -> None:
    who = make_account()
    for days in (1, 2):
        earlier(days, who=who)
    own = game(deal, who=who)
    assert after(own).streak == 3
    assert "Streak: 3 days" in panel(own)
    assert after(unranked(publishing.practice_deal("stonewall"), who)).streak == 0


def form(text: str, button: str) -> dict[str, str]:
    (found,) = [part for part in re.findall(r"<form.*?</form>", text, re.DOTALL) if f'id="{button}"' in part]
    return dict(re.findall(r'name="([\w-]+)" value="([^"]*)"', found))


def main_button(attempt: Attempt) -> str:
    """Return the id of the only main button."""
    (found,) = re.findall(r'class="button" id="finish-(\w+)"', panel(attempt))
    return str(found)


def test_there_is_one_main_button(deal: Deal) -> None:
    publishing.todays_deals(NOW)
    own = game(deal)
    assert main_button(own) == "next"
    for other in publishing.todays_deals(NOW)[:-1]:
        game(other, cards=1, who=own.player)
    assert main_button(own) == "board"
    assert main_button(unranked(publishing.practice_deal("labyrinth"), own.player)) == "new"
    guest = create_guest()
    won = game(deal, who=guest, show=False)
    assert main_button(won) == "next"
    assert 'id="finish-account"' in panel(won).split("finish-others")[0], "second"
    for other in publishing.todays_deals(NOW)[:-1]:
        game(other, cards=1, who=guest, show=False)
    assert main_button(won) == "account"
    assert main_button(unranked(publishing.practice_deal("labyrinth"), guest)) == "new"
    first = unranked(first_game.deal_for(guest.pk), guest)
    assert main_button(first) == "today"
    first.end = Attempt.End.RESIGNED
    first.save()
    assert main_button(first) == "same"
    assert 'id="finish-new"' in panel(first).split("finish-others")[0], "one tap away"


def test_a_lost_challenge_can_be_tried_again() -> None:
    goal = unranked(publishing.practice_deal("labyrinth"), make_account())
    sent = challenges.challenge(goal.player, goal)
    own = unranked(goal.deal, create_guest())
    Answer.objects.create(challenge=sent, attempt=own)
    Attempt.objects.filter(pk=own.pk).update(elapsed_ms=280_001)
    own.refresh_from_db()
    assert main_button(own) == "retry"
    assert reverse("games:answer_challenge", args=[sent.code]) in panel(own)
    Attempt.objects.filter(pk=own.pk).update(elapsed_ms=279_999)
    own.refresh_from_db()
    assert main_button(own) == "next"
    assert panel(own).count('id="finish-account"') == 1


def test_a_loss_leads_to_its_analysis_once_that_may_be_seen(deal: Deal) -> None:
    of_guest = panel(game(deal, cards=12, who=create_guest(), show=False))
    assert "finish-lost" not in of_guest
    assert "you can see where it went wrong" in of_guest
    of_account = panel(game(deal, cards=11))
    assert "#analyse" in of_account
    assert "You can play this deal again, unranked, from" in of_account
    past = earlier(cards=12)
    replay = reverse("games:replay", args=[past.public_id])
    assert re.search(rf'{replay}#analyse"\s+id="finish-lost"', panel(past))
    findings = Findings([5, 4, LOST, LOST], turns=[Turn(1, 2)])
    Analysis.objects.create(attempt=past, asked_at=NOW, state="done", done_at=NOW, findings=findings.pack())
    assert re.search(rf'{replay}\?n=1"\s+id="finish-lost">Lost at move 2: see it<', panel(past))
    assert "finish-lost" not in panel(earlier(days=4))  # won


def test_hints_are_marked(deal: Deal) -> None:
    own = unranked(publishing.practice_deal("labyrinth"), make_account())
    assert "data-hinted" not in panel(own)
    questions.mark_hinted(own)
    assert "data-hinted" in panel(own)


@pytest.mark.parametrize(("name", "options"), [("labyrinth", None), ("braid", {"direction": "either", "redeals": 3})])
def test_practice_offers_a_new_deal_or_the_same_again(name: str, options: dict[str, object] | None) -> None:
    who = make_account()
    own = unranked(publishing.practice_deal(name, options), who)
    text, client = panel(own), signed_in(who)
    assert re.search(r"Same deal again\s*<", text)
    client.post(reverse("games:start_practice"), form(text, "finish-same"))
    assert Attempt.objects.filter(player=who, deal=own.deal, state="playing").count() == 1
    client.post(
        reverse("games:start_practice"),
        {field: value.replace("&quot;", '"') for field, value in form(text, "finish-new").items()},
    )
    latest = Attempt.objects.filter(player=who, state="playing").exclude(deal=own.deal).get()
    assert (latest.deal.variant, latest.deal.options) == (own.deal.variant, own.deal.options)


def test_a_secret_deal_says_when_it_can_be_replayed(deal: Deal) -> None:
    own = game(deal)
    assert "finish-same" not in panel(own)
    assert re.search(r'unranked, from <time datetime="[^"]+" data-moment="time">01:00 UTC</time>\.', panel(own))
    past = game(make_deal("stonewall", day=TODAY - timedelta(days=3)))
    assert "Same deal again (unranked)" in panel(past)
    assert "finish-challenge" in panel(past)


def test_practice_is_compared_with_the_ranked_best(deal: Deal) -> None:
    who = earlier(ms=300_000, moves=90).player
    found = after(unranked(publishing.practice_deal("stonewall"), who))
    assert found.comparisons == [
        ReferenceComparison("Your best time: 5:00.0", "0:20.0 better", is_better=True),
        ReferenceComparison("Your fewest moves: 90", "the same", is_better=False),
    ]
    assert found.own is None


def test_a_race_has_only_the_comparisons() -> None:
    race = make_deal("stonewall", DAY, practice=True)
    race.for_race = True
    race.save()
    own = unranked(race, make_account(), deadline=NOW)
    found = after(own)
    assert (found.today, found.again, found.own) == (None, None, None)


def test_more_players_take_no_more_queries(deal: Deal) -> None:
    for variant in CATALOGUE:
        if variant != deal.variant:
            make_deal(variant, day=TODAY)
    own = game(deal)
    client = signed_in(own.player)

    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            client.get(address(own))
        return len(found)

    for ms in range(4):
        game(deal, ms=ms)
    few = queries()
    for ms in range(60):
        game(deal, ms=1_000 * ms, moves=40 + ms)
    assert queries() == few
    assert few <= 14


def test_the_table_requests_it(deal: Deal) -> None:
    own = factories.finished(deal)
    table = signed_in(own.player).get(reverse("games:table", args=[own.public_id])).content.decode()
    assert f'data-address="{address(own)}"' in table
