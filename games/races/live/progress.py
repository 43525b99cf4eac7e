"""Progress of the entrants in a room's races, merged from the database and from lane reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Final, cast

from games import rules
from games.races.live import protocol
from games.races.live.lane_reports import Report
from games.races.live.snapshot import EntrantFacts, RaceFacts, RoomFacts
from games.races.models import Entrant
from games.races.results.places import Figures, placed
from games.rules.races.ranking import Outcome

#: Seconds without a sign of a connection after which an entrant is shown as away.
AWAY_AFTER: Final = 5.0

_E: Final = Entrant.State
_ABSENT: Final = str(_E.ABSENT)
UNDER_WAY: Final = frozenset(map(str, (_E.SEATED, _E.RACING)))
ENDED: Final = frozenset(map(str, (_E.WON, _E.RETIRED, _E.TIMED_OUT)))
OVER: Final = ENDED | {_ABSENT, str(_E.DISQUALIFIED)}
PLACED: Final = ENDED | {str(_E.RACING), str(_E.DISQUALIFIED)}


@dataclass(slots=True, eq=False)
class EntrantLane:
    """An entrant's progress, as this process knows it."""

    seen_at: float
    figures: Figures = field(default_factory=Figures)
    is_known: bool = False
    state: str = ""
    ms: int | None = None

    def learn(self, figures: Figures) -> None:
        """Update the figures, unless they are older than the known ones."""
        if (figures.tokens, figures.cards_up) >= (self.figures.tokens, self.figures.cards_up):
            self.figures = figures
        self.is_known = True

    def follow(self, entrant: EntrantFacts) -> None:
        """Update from the database, unless a report has already told of the end of the game."""
        if entrant.state in UNDER_WAY and entrant.figures is not None and entrant.figures[:2] < self.figures[:2]:
            return  # read before the racer solved the last puzzle
        if entrant.state not in UNDER_WAY or self.state not in ENDED:
            self.state, self.ms = entrant.state, entrant.ms
        if entrant.figures is not None:
            self.figures, self.is_known = entrant.figures, True


class RaceProgress:
    """The progress lanes of a room's races."""

    def __init__(self, facts: RoomFacts) -> None:
        self._facts = facts
        self._lanes: dict[int, EntrantLane] = {}

    def unknown(self, facts: RoomFacts) -> dict[int, int]:
        """Return entrant id by attempt id for games of unknown progress, which must be replayed."""
        if facts.to_come is not None:
            for entrant in facts.to_come.entrants:
                self._lane(entrant.id).is_known = True  # no moves before the start
        entrants = [entrant for race in (facts.running, facts.last) if race is not None for entrant in race.entrants]
        return {
            entrant.attempt_id: entrant.id
            for entrant in entrants
            if entrant.figures is None and entrant.state != _ABSENT and not self._lane(entrant.id).is_known
            if entrant.attempt_id is not None
        }

    def learn(self, entrant: int, figures: Figures) -> None:
        """Update a lane with the result of a replay."""
        self._lane(entrant).learn(figures)

    def follow(self, facts: RoomFacts) -> None:
        """Update all lanes from the database, and drop the lanes of entrants no longer in any of the races."""
        self._facts = facts
        listed = {entrant.id: entrant for race in facts.races() for entrant in race.entrants}
        for key, entrant in listed.items():
            self._lane(key).follow(entrant)
        self._lanes = {key: self._lanes[key] for key in listed}

    def apply_reports(self, reports: Iterable[Report]) -> None:
        """Update lanes with a process's reports on the racers whose tables are open there."""
        for entrant, cards_up, tokens, state, ms, progress_ms in reports:
            lane = self._lanes.get(entrant)
            if lane is None:
                continue  # its race has not been read yet; reports are repeated
            lane.seen_at = monotonic()
            # Processes of the release before report whether the racer is connected instead.
            lane.learn(Figures(cards_up, tokens, None if isinstance(progress_ms, bool) else progress_ms))
            if state is not None and lane.state in UNDER_WAY:
                lane.state, lane.ms = state, ms

    def mark_seen(self, entrants: Iterable[int]) -> None:
        """Note that these entrants are present."""
        for entrant in entrants:
            if entrant in self._lanes:
                self._lanes[entrant].seen_at = monotonic()

    def all(self) -> list[protocol.Lane]:
        """Return all lanes, as sent to clients."""
        return [lane for race in self._facts.races() for lane in self.of(race)]

    def of(self, race: RaceFacts) -> list[protocol.Lane]:
        """Return the lanes of a race, as sent to clients."""
        places = self._places(race)
        return [self._lane_message(race, entrant, places.get(entrant.id)) for entrant in race.entrants]

    def next_away(self, now: float) -> list[float]:
        """Return the times at which entrants will count as away if they are not seen before."""
        return [
            at for lane in self._lanes.values() if lane.state not in OVER and (at := lane.seen_at + AWAY_AFTER) > now
        ]

    def _lane(self, entrant: int) -> EntrantLane:
        if entrant not in self._lanes:
            self._lanes[entrant] = EntrantLane(seen_at=monotonic())
        return self._lanes[entrant]

    def _lane_message(self, race: RaceFacts, entrant: EntrantFacts, place: int | None) -> protocol.Lane:
        lane = self._lane(entrant.id)
        cards_up, tokens, _progress_ms = lane.figures
        is_over = race is self._facts.last or lane.state in OVER
        is_away = not is_over and not entrant.is_bot and monotonic() - lane.seen_at >= AWAY_AFTER
        return protocol.Lane(entrant.id, cards_up, tokens, lane.state, is_away, place, lane.ms)

    def _places(self, race: RaceFacts) -> Mapping[int, int | None]:
        """Return the provisional places of a race, or the final ones of a finished race."""
        if race is self._facts.last:
            return {entrant.id: entrant.place for entrant in race.entrants}
        if race is self._facts.to_come:
            return {}
        lanes = {entrant.id: self._lane(entrant.id) for entrant in race.entrants}
        return placed({key: _score(lane) for key, lane in lanes.items() if lane.state in PLACED})


def _score(lane: EntrantLane) -> rules.Score:
    """Return a lane's score; an unfinished game ranks as if it ended now."""
    outcome: Outcome = "retired"
    if lane.state in (_E.WON, _E.DISQUALIFIED):
        outcome = cast("Outcome", lane.state)
    cards_up, tokens, known_ms = lane.figures
    progress_ms = rules.NO_PROGRESS if known_ms is None else known_ms
    return rules.Score(outcome, cards_up, lane.ms or 0, tokens, progress_ms)
