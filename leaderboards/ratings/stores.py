"""Stores of the two folds: the tables of ratings and changes, and the state of a fold before a race."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Final

from django.contrib.auth import get_user_model
from django.db.models import OuterRef, Subquery

from leaderboards.models import ChangeRow, ProvisionalChange, ProvisionalRating, Rating, RatingChange, RatingRow
from leaderboards.ratings import fold_input
from leaderboards.ratings.fold_input import Key
from leaderboards.ratings.rules import Change, Fold, Racer, RatingState

_BATCH: Final = 500


@dataclass(frozen=True, slots=True)
class Store:
    """Tables of one kind of ratings."""

    provisional: bool
    ratings: type[RatingRow]
    changes: type[ChangeRow]

    def fold_before(self, key: Key, players: Collection[int]) -> Fold:
        """Return the state of the fold before a race, with the standings of these players."""
        fold = Fold(self.provisional, self._standings_before(key, players))
        fold.resume(key.finished_at.astimezone(UTC).date(), _met_before(key))
        return fold

    def _standings_before(self, key: Key, players: Collection[int]) -> dict[int, RatingState]:
        """Return the players' standings before a race; a player without earlier races has a new standing."""
        earlier = self.changes.objects.filter(fold_input.before(key), player=OuterRef("pk"))
        last = earlier.order_by("-finished_at", "-race_id").values("pk")[:1]
        found = dict.fromkeys(players, RatingState())
        for batch in _batches(players):
            rows = get_user_model().objects.filter(pk__in=batch).annotate(change=Subquery(last))
            ids = list(rows.exclude(change=None).values_list("change", flat=True))
            columns = ("player_id", "mu_after", "sigma_after", "races", "finished_at")
            for player, *state in self.changes.objects.filter(pk__in=ids).values_list(*columns):
                found[player] = RatingState(*state)
        return found

    def standings(self, players: Collection[int]) -> dict[int, RatingState]:
        """Return the players' current standings; players without a race are left out."""
        found: dict[int, RatingState] = {}
        for batch in _batches(players):
            rows = self.ratings.objects.filter(player__in=batch).values_list("player_id", *RatingState._fields)
            found.update((player, RatingState(*state)) for player, *state in rows)
        return found

    def insert(self, changes: Sequence[Change]) -> None:
        """Insert changes of races that have none."""
        columns = {field.name: field.attname for field in self.changes._meta.concrete_fields}
        rows = (
            self.changes(**{columns[name]: value for name, value in change._asdict().items()}) for change in changes
        )
        self.changes.objects.bulk_create(rows, batch_size=_BATCH)

    def write(self, standings: Mapping[int, RatingState], players: Collection[int]) -> None:
        """Set the players' ratings to their standings; delete the rating of a player without races."""
        rated = [player for player in sorted(players) if standings[player].races]
        self.ratings.objects.bulk_create(
            (self.ratings(player_id=player, **standings[player]._asdict()) for player in rated),
            batch_size=_BATCH, update_conflicts=True, unique_fields=["player"], update_fields=RatingState._fields,
        )  # fmt: skip
        self.ratings.objects.filter(player__in=set(players).difference(rated)).delete()


PROVISIONAL: Final = Store(True, ProvisionalRating, ProvisionalChange)
STORES: Final = (PROVISIONAL, Store(False, Rating, RatingChange))


def _met_before(key: Key) -> list[list[Racer]]:
    """Return the racers of each race on the same day that was rated before that one."""
    day = key.finished_at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    earlier = ProvisionalChange.objects.filter(fold_input.before(key), finished_at__gte=day)
    races: defaultdict[int, list[Racer]] = defaultdict(list)
    columns = ("race_id", "entrant_id", "player_id", "rank", "entrant__link_group")
    for race, entrant, player, rank, group in earlier.values_list(*columns):
        races[race].append(Racer(entrant, player, rank, group or 0))
    return list(races.values())


def _batches(players: Collection[int]) -> Iterator[list[int]]:
    """Split the players into batches that fit a statement."""
    ordered = sorted(players)
    for first in range(0, len(ordered), _BATCH):
        yield ordered[first : first + _BATCH]
