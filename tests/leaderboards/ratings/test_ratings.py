"""Ratings, and the proof that they follow from the races."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command

from games.inbox.models import Notice
from games.races.models import Race
from leaderboards import tasks
from leaderboards.models import ProvisionalChange, ProvisionalRating, RatedRace, Rating, RatingChange
from leaderboards.ratings import audit, folding
from leaderboards.ratings.fold_input import Key
from leaderboards.ratings.rules import VERSION
from leaderboards.ratings.stores import STORES
from tests.factories import NOON, make_account
from tests.leaderboards import raced
from tests.leaderboards.raced import MINUTE, disqualify, ratings, stored

pytestmark = pytest.mark.django_db


def from_scratch() -> None:
    for store in STORES:
        store.changes.objects.all().delete()
        store.ratings.objects.all().delete()
    first = Race.objects.filter(rated=True, state="finished").order_by("finished_at", "id").first()
    assert first is not None
    assert first.finished_at is not None
    folding.fold_from(Key(first.finished_at, first.pk))


def test_a_race_changes_its_racers_ratings() -> None:
    one, two, three = make_account(), make_account(), make_account()
    raced.race([one, two, three], [1, 2, 2])
    assert folding.rate_finished() == 1
    assert folding.rate_finished() == 0
    first, *tied = ratings()
    assert first[0] == one.pk
    assert first[1] > 1500 > tied[0][1] == tied[1][1]
    assert [row[3] for row in ratings()] == [1, 1, 1]
    assert {row[4] for row in ratings()} == {NOON}


def test_unrated_and_unfinished_races_change_nothing() -> None:
    who = [make_account(), make_account()]
    raced.race(who, rated=False)
    raced.race(who, state="settling", finished_at=None)
    raced.race(who, state="void", void="server_fault")
    assert folding.rate_finished() == 0
    assert not ProvisionalRating.objects.exists()


def test_guests_absent_and_deleted_players_are_left_out() -> None:
    one, two, guest, absent = make_account(), make_account(), make_account(is_guest=True), make_account()
    race = raced.race([guest, one, absent, None, two], [1, 2, "absent", 3, 4])
    folding.rate_finished()
    assert {row[0] for row in ratings()} == {one.pk, two.pk}
    assert RatedRace.objects.get().guests == [race.entrants.get(player=guest).pk]
    raced.race([one, guest, None], [2, 1, 3], at=NOON + MINUTE)
    folding.rate_finished()  # a single player is not rated
    assert [row[3] for row in ratings()] == [1, 1]
    assert RatedRace.objects.count() == 2


def test_only_rivals_who_are_regulars_change_a_rating() -> None:
    """A regular's race against others changes provisional ratings only; a newcomer's results against regulars count."""
    regular, other, newcomer, friend = (make_account() for _ in range(4))
    raced.race([newcomer, regular], regulars=[regular])
    raced.race([newcomer, friend], at=NOON + MINUTE)
    raced.race([other, regular], regulars=[regular, other], at=NOON + 2 * MINUTE)
    folding.rate_finished()
    assert {row[0]: row[3] for row in ratings()} == {regular.pk: 2, other.pk: 1, newcomer.pk: 2, friend.pk: 1}
    found = {player: (mu > 1500, races) for player, mu, races in Rating.objects.values_list("player", "mu", "races")}
    assert found == {regular.pk: (False, 1), other.pk: (True, 1), newcomer.pk: (True, 1)}
    assert list(audit.faults()) == []


def test_races_rated_by_older_rules_are_rated_again_once_and_without_notices() -> None:
    """The upgrade finds changes of the old release, and no provisional ones."""
    players = [make_account() for _ in range(4)]
    races = raced.history(players, 8, seed=2)
    folding.rate_finished()
    expected, guests = stored(), list(RatedRace.objects.values_list("race", "guests"))
    ProvisionalChange.objects.all().delete()
    ProvisionalRating.objects.all().delete()
    Rating.objects.update(mu=1400)
    RatingChange.objects.update(mu_after=1400)
    RatedRace.objects.update(version=VERSION - 1)
    decided = min(races, key=lambda race: (race.finished_at, race.pk))
    tasks.refold(decided.pk)
    assert stored() == expected
    assert list(RatedRace.objects.values_list("race", "guests")) == guests
    assert not Notice.objects.exists()
    assert folding.rate_finished() == 0


def test_a_race_rated_by_an_old_process_is_rated_again() -> None:
    players = [make_account() for _ in range(2)]
    raced.race(players)
    folding.rate_finished()
    late = raced.race(players, at=NOON + MINUTE)
    RatedRace.objects.create(race=late)  # as the old release does, which knows no version
    assert folding.rate_finished() == 1
    assert list(audit.faults()) == []


def test_a_later_account_does_not_change_earlier_races() -> None:
    one, two, guest = make_account(), make_account(), make_account(is_guest=True)
    race = raced.race([one, two, guest])
    folding.rate_finished()
    before = stored()
    get_user_model().objects.filter(pk=guest.pk).update(is_guest=False)
    folding.refold(race.pk)
    assert stored() == before
    raced.race([one, two, guest], at=NOON + MINUTE)
    folding.rate_finished()
    assert ProvisionalRating.objects.get(player=guest).races == 1


def test_disqualified_players_are_last_and_tied() -> None:
    who = [make_account() for _ in range(4)]
    raced.race(who, ["disqualified", 2, "disqualified", 1])
    folding.rate_finished()
    by_player = dict(ProvisionalRating.objects.values_list("player", "mu"))
    cheat, second, other_cheat, first = (by_player[one.pk] for one in who)
    assert first > second > cheat == other_cheat


def test_banned_and_deleted_players_stay_in_the_fold() -> None:
    one, two = make_account(), make_account()
    race = raced.race([one, two])
    folding.rate_finished()
    before = stored()
    get_user_model().objects.filter(pk=one.pk).update(banned_at=NOON)
    get_user_model().objects.filter(pk=two.pk).update(deleted_at=NOON)
    folding.refold(race.pk)
    assert stored() == before


@pytest.mark.parametrize("seed", range(3))
def test_rating_as_races_finish_equals_folding_from_scratch(seed: int) -> None:
    choose = random.Random(seed)
    players = [make_account() for _ in range(7)]
    races = raced.history(players, 30, seed)
    # They are seen in another order than they finished, several at a time; some are decided late.
    hidden = choose.sample(races, len(races))
    Race.objects.update(rated=False)
    while hidden:
        some = [hidden.pop() for _ in range(min(len(hidden), choose.randint(1, 3)))]
        Race.objects.filter(pk__in=[one.pk for one in some]).update(rated=True)
        folding.rate_finished()
        late = choose.choice([one for one in races if one not in hidden])
        who = choose.choice(list(late.entrants.exclude(state__in=["absent", "disqualified"]).order_by("pk")) or [None])
        if who is not None and choose.random() < 0.3:
            disqualify(late, who.player)
            folding.refold(late.pk)
    before = stored()
    from_scratch()
    assert stored() == before
    assert RatingChange.objects.exists()


def test_a_race_seen_late_is_rated_in_its_place() -> None:
    one, two = make_account(), make_account()
    raced.race([one, two], at=NOON)
    raced.race([two, one], at=NOON + 2 * MINUTE)
    folding.rate_finished()
    late = raced.race([one, two], at=NOON + MINUTE)
    assert folding.rate_finished() == 2
    of_one = ProvisionalChange.objects.filter(player=one).order_by("races")
    assert [row.race_id == late.pk for row in of_one] == [False, True, False]
    assert [row.mu_after for row in of_one][:-1] == [row.mu_before for row in of_one][1:]
    assert not Notice.objects.exists()


def test_a_late_disqualification_updates_and_notifies() -> None:
    cheat, honest, later, outsider, other = (make_account() for _ in range(5))
    race = raced.race([cheat, honest])
    raced.race([honest, later], [1, 1], at=NOON + MINUTE)
    raced.race([outsider, other], at=NOON + 2 * MINUTE)
    folding.rate_finished()
    before = dict(ProvisionalRating.objects.values_list("player", "mu"))
    disqualify(race, cheat)
    tasks.refold(race.pk)
    after = dict(ProvisionalRating.objects.values_list("player", "mu"))
    assert after[cheat.pk] < before[cheat.pk]
    assert after[honest.pk] > before[honest.pk]
    assert after[outsider.pk] == before[outsider.pk]
    notices = {notice.player_id: notice.data for notice in Notice.objects.filter(kind="rating_moved")}
    assert set(notices) == {cheat.pk, honest.pk, later.pk}
    assert notices[cheat.pk] == {
        "address": f"/races/{race.room.code}/1/",
        "before": round(before[cheat.pk]),
        "after": round(after[cheat.pk]),
    }
    tasks.refold(race.pk)  # delivered twice
    assert Notice.objects.count() == 3


def test_a_race_without_rated_players_revokes_its_changes() -> None:
    one, two = make_account(), make_account()
    race = raced.race([one, two])
    folding.rate_finished()
    race.entrants.filter(player=two).update(state="absent", place=None)
    folding.refold(race.pk)
    assert not ProvisionalRating.objects.exists()
    assert not ProvisionalChange.objects.exists()


def test_lost_tasks_are_made_up_for(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = make_account(), make_account()
    monkeypatch.setattr("django.utils.timezone.now", lambda: NOON + timedelta(days=1))
    race = raced.race([one, two])
    tasks.rate_races()
    tasks.rate_races()
    assert [row[3] for row in ratings()] == [1, 1]
    disqualify(race, one)
    folding.mark_stale(race.pk)
    tasks.rate_races()
    by_player = dict(ProvisionalRating.objects.values_list("player", "mu"))
    assert by_player[one.pk] < by_player[two.pk]
    assert Notice.objects.count() == 2


def test_a_refold_before_the_first_rating_rates() -> None:
    race = raced.race([make_account(), make_account()])
    tasks.refold(race.pk)
    assert ProvisionalRating.objects.count() == 2
    assert not Notice.objects.exists()
    tasks.refold(10**6)


def test_meetings_are_counted_from_the_start_of_the_fold() -> None:
    who: list[Any] = [make_account(), make_account()]
    for k in range(7):
        raced.race(who, at=NOON + k * MINUTE)
        folding.rate_finished()
    assert [row[3] for row in ratings()] == [5, 5]
    raced.race(who, at=NOON + timedelta(days=1))
    folding.rate_finished()
    assert [row[3] for row in ratings()] == [6, 6]


@pytest.fixture
def rated() -> list[Any]:
    players = [make_account() for _ in range(6)]
    raced.history(players, 25, seed=8)
    folding.rate_finished()
    return players


def rerate(*options: str) -> int:
    try:
        call_command("rerate", "--no-progress", *options)
    except SystemExit as ended:
        return int(str(ended.code))
    return 0


def test_valid_ratings_are_unchanged(rated: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    before = stored()
    assert rerate("--check") == rerate() == 0
    assert "25 races, 0 differences" in capsys.readouterr().out
    assert rerate("--from-scratch") == 0
    assert stored() == before


def tamper_with_a_change() -> str:
    row = ProvisionalChange.objects.order_by("finished_at")[5]
    ProvisionalChange.objects.filter(pk=row.pk).update(mu_after=row.mu_after + 1e-5)
    return f"ProvisionalChange: stored Change(race={row.race_id},"


def tamper_with_a_rating() -> str:
    row = ProvisionalRating.objects.all()[0]
    ProvisionalRating.objects.filter(pk=row.pk).update(sigma=1)
    return f"ProvisionalRating: stored ({row.pk}, RatingState(mu={row.mu}, sigma=1.0"


def tamper_with_a_change_by_regulars() -> str:
    row = RatingChange.objects.order_by("finished_at")[5]
    RatingChange.objects.filter(pk=row.pk).update(mu_after=row.mu_after + 1e-5)
    return f"RatingChange: stored Change(race={row.race_id},"


def tamper_with_a_rating_by_regulars() -> str:
    row = Rating.objects.all()[0]
    Rating.objects.filter(pk=row.pk).update(sigma=1)
    return f"Rating: stored ({row.pk}, RatingState(mu={row.mu}, sigma=1.0"


def lose_a_change() -> str:
    row = ProvisionalChange.objects.order_by("finished_at")[3]
    row.delete()
    return f"ProvisionalChange: should be Change(race={row.race_id},"


def lose_a_rating() -> str:
    row = ProvisionalRating.objects.all()[0]
    ProvisionalRating.objects.filter(pk=row.pk).delete()
    return f"ProvisionalRating: should be ({row.pk}, RatingState("


def forget_a_race() -> str:
    race = RatedRace.objects.all()[0].pk
    RatedRace.objects.filter(pk=race).delete()
    return f"race {race}: not rated yet"


def decide_behind_its_back() -> str:
    row = ProvisionalChange.objects.filter(rank__lt=5).order_by("finished_at")[0]
    row.entrant.state = raced.State.DISQUALIFIED
    row.entrant.save(update_fields=["state"])
    return f"entrant={row.entrant_id}, player={row.player_id}, rank=99"


@pytest.mark.parametrize(
    "tamper",
    [
        tamper_with_a_change,
        tamper_with_a_rating,
        tamper_with_a_change_by_regulars,
        tamper_with_a_rating_by_regulars,
        lose_a_change,
        lose_a_rating,
        forget_a_race,
        decide_behind_its_back,
    ],
)
def test_differences_are_listed_and_repaired(rated: list[Any], tamper: Any, capsys: pytest.CaptureFixture[str]) -> None:
    fault = tamper()
    before = stored()
    assert rerate("--check") == 1
    assert fault in capsys.readouterr().out
    assert stored() == before
    assert rerate() == 1
    assert rerate("--check") == 0


def test_changes_of_an_unrated_race_are_found(rated: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    row = ProvisionalChange.objects.order_by("-finished_at", "-race_id")[0]
    changes = ProvisionalChange.objects.filter(race=row.race_id).count()
    row.race.rated = False
    row.race.save(update_fields=["rated"])
    assert rerate("--check") == 1
    assert f"ProvisionalChange: {changes} of races that are not rated" in capsys.readouterr().out


def test_without_races_there_is_nothing_to_do() -> None:
    assert rerate("--check") == rerate() == rerate("--from-scratch") == 0


def test_simultaneous_races_are_folded_by_number() -> None:
    one, two = make_account(), make_account()
    for _ in range(3):
        raced.race([one, two], at=NOON)
        folding.rate_finished()
    assert rerate("--check") == 0
