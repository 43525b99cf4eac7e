"""Models for rooms, races and entrants: fields and constraints only. `docs/races.md` explains them."""

from __future__ import annotations

import secrets
import uuid
from typing import Final, cast

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from games.models import Attempt
from games.rules.races.ranking import Outcome, Score

#: Alphabet of room codes: digits and lower-case letters that are not easily confused; ten of them make 50 bits.
CODE_LETTERS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
CODE_LENGTH: Final = 10

#: Game and variant of puzzle races, in which all racers solve the same puzzles.
PUZZLES: Final = "puzzles"
#: Condition for races that have a deal, or a sequence of puzzles.
HAS_DEAL: Final = Q(deal__isnull=False) | Q(puzzles__isnull=False)


def new_code() -> str:
    """Return a random, unguessable room code."""
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


class Room(models.Model):
    """A place with its own link, in which races are run in sequence.

    The game, options, time limit, undo rule and seats apply to the next race.
    """

    class Kind(models.TextChoices):
        """The way players get into a room."""

        PRIVATE = "private", _("By link")
        PUBLIC = "public", _("Public")
        QUICK = "quick", _("Quick match")
        HEAT = "heat", _("Heat")

    code = models.CharField(max_length=CODE_LENGTH, unique=True, default=new_code, editable=False)
    kind = models.CharField(max_length=7, choices=Kind.choices)
    # Null in quick matches and heats.
    host = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    variant = models.CharField(max_length=32, blank=True, default="")
    game = models.CharField(max_length=16)
    options = models.JSONField(default=dict, blank=True)
    limit_s = models.PositiveIntegerField()
    seats = models.PositiveSmallIntegerField()
    # False if moves that revealed a card cannot be undone; rated races ignore it and never allow that.
    free_undo = models.BooleanField(default=True, db_default=True)
    # Ids of the players kicked by the host.
    kicked = models.JSONField(default=list, blank=True)
    made_at = models.DateTimeField()
    used_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["kind", "used_at"], condition=Q(closed_at=None), name="room_open")]

    def __str__(self) -> str:
        return f"{self.kind} room {self.code}"


class Race(models.Model):
    """A race of a room. Its game, limit and undo rule are copied from the room when the seats are frozen."""

    class State(models.TextChoices):
        """The state machine of a race; `docs/races.md` shows the transitions."""

        OPEN = "open", _("Open")
        COUNTDOWN = "countdown", _("Starting")
        RACING = "racing", _("Live")
        SETTLING = "settling", _("Being verified")
        FINISHED = "finished", _("Finished")
        VOID = "void", _("Void")

    class Void(models.TextChoices):
        """The reason why a race does not count."""

        NOT_STARTED = "not_started", _("It never started")
        NOBODY_CAME = "nobody_came", _("No one showed up")
        SERVER_FAULT = "server_fault", _("Stopped by a server error")

    public_id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    room = models.ForeignKey(Room, on_delete=models.PROTECT, related_name="races", db_index=False)
    number = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=9, choices=State.choices, default=State.OPEN)
    rated = models.BooleanField(default=False)
    variant = models.CharField(max_length=32, blank=True, default="")
    game = models.CharField(max_length=16)
    options = models.JSONField(default=dict, blank=True)
    limit_s = models.PositiveIntegerField()
    free_undo = models.BooleanField(default=True, db_default=True)
    # Sealed and certified; null until one has been found. All divisions of a heat share a deal.
    deal = models.ForeignKey("games.Deal", on_delete=models.PROTECT, null=True, blank=True, related_name="races")
    # Primary keys of the puzzles of a puzzle race, in order; such a race has no deal.
    puzzles = models.JSONField(null=True, blank=True, editable=False)
    # For a deal made to order: the seeds tried so far, and whether the search gave up.
    deal_tries = models.PositiveIntegerField(default=0)
    deal_failed = models.BooleanField(default=False)
    opened_at = models.DateTimeField()
    # Heats: the scheduled start, and the number of the division, from 1.
    scheduled_at = models.DateTimeField(null=True, blank=True)
    division = models.PositiveSmallIntegerField(default=0)
    # When the race starts by itself: quick matches with an opponent, and rematches. Null if it waits for a command.
    gathers_until = models.DateTimeField(null=True, blank=True)
    starts_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    # Set before the result is sent to the room's webhook, so it is sent at most once.
    posted_at = models.DateTimeField(null=True, blank=True)
    void = models.CharField(max_length=12, choices=Void.choices, blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["room", "number"], name="race_number_once"),
            models.UniqueConstraint(
                fields=["room"], condition=Q(state__in=["open", "countdown"]), name="one_race_to_come"
            ),
            models.UniqueConstraint(fields=["room"], condition=Q(state="racing"), name="one_race_being_run"),
            models.UniqueConstraint(
                fields=["scheduled_at", "division"], condition=Q(scheduled_at__isnull=False), name="heat_division_once"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["open", "void"])
                | (Q(starts_at__isnull=False, ends_at__isnull=False) & HAS_DEAL),
                name="race_that_starts_has_a_deal",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["finished", "void"], finished_at__isnull=False)
                | (~Q(state__in=["finished", "void"]) & Q(finished_at=None)),
                name="race_ends_once",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "starts_at"], name="race_due"),
            models.Index(fields=["finished_at", "id"], condition=Q(state="finished"), name="race_order"),
        ]

    def __str__(self) -> str:
        return f"race {self.number} of room {self.room_id}"

    @property
    def is_puzzle_race(self) -> bool:
        """True if the racers solve puzzles."""
        return self.game == PUZZLES

    @property
    def has_deal(self) -> bool:
        """True once the race has a deal, or a sequence of puzzles."""
        return self.deal_id is not None or self.puzzles is not None


class Entrant(models.Model):
    """A player's entry in a race. Leaving an open race deletes the row; afterwards it is kept."""

    class State(models.TextChoices):
        """The state or result of an entrant."""

        SEATED = "seated", _("Seated")
        RACING = "racing", _("Racing")
        WON = "won", _("Won")
        RETIRED = "retired", _("Gave up")
        TIMED_OUT = "timed_out", _("Out of time")
        ABSENT = "absent", _("Didn't show up")
        DISQUALIFIED = "disqualified", _("Disqualified")

    class Standing(models.IntegerChoices):
        """Experience of the player when the race started."""

        NEW = 0, _("No account, or no verified daily game")
        PLAYED = 1, _("A verified daily game")
        ESTABLISHED = 2, _("A verified daily game as an established player")
        REGULAR = 3, _("Established, and daily games on ten of the last ninety days")

    race = models.ForeignKey(Race, on_delete=models.PROTECT, related_name="entrants", db_index=False)
    # Player, attempt and storm become null when the player is removed.
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="entries", db_index=False
    )
    attempt = models.OneToOneField(
        "games.Attempt", on_delete=models.SET_NULL, null=True, blank=True, related_name="entrant"
    )
    # The run of a racer in a puzzle race.
    storm = models.OneToOneField(
        "puzzles.PuzzleRun", on_delete=models.SET_NULL, null=True, blank=True, related_name="entrant"
    )
    state = models.CharField(max_length=12, choices=State.choices, default=State.SEATED)
    joined_at = models.DateTimeField()
    # The player was a guest when the countdown started, so the race is never rated for an account.
    as_guest = models.BooleanField(default=False, db_default=False)
    # Slug of a bot (`games.bots`); empty for people.
    bot = models.CharField(max_length=16, blank=True, default="", db_default="", db_column="house_racer")
    # The bot's game, as `games.races.bots.planning` stores it until the game is over. It is based on hidden cards.
    plan = models.JSONField(null=True, blank=True, editable=False)
    # Time until which the player counts as present (`games.races.attendance.roll_call`); null for bots.
    here_until = models.DateTimeField(null=True, blank=True)
    # Quick match: the variants that the player accepts, and when the player came to meet the opponent.
    wishes = models.JSONField(default=list, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    # Results from the verified record, set when the race finishes and updated when a verdict changes; null in review.
    # In puzzle races, `cards_up` counts the puzzles solved, and `elapsed_ms` is the time of the last one.
    place = models.PositiveSmallIntegerField(null=True, blank=True)
    points = models.PositiveSmallIntegerField(null=True, blank=True)
    cards_up = models.PositiveSmallIntegerField(null=True, blank=True)
    elapsed_ms = models.BigIntegerField(null=True, blank=True)
    tokens = models.PositiveSmallIntegerField(null=True, blank=True)
    progress_ms = models.BigIntegerField(null=True, blank=True)
    # Set when the countdown starts, and never changed: ratings and heat points depend on it (`entrant_facts`). Linked
    # entrants of a race share a group other than 0.
    standing = models.PositiveSmallIntegerField(choices=Standing.choices, null=True, blank=True)
    link_group = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["race", "player"], name="entrant_once"),
            # Players, except bots, are in one race at a time. The previous release, which may still run during an
            # upgrade, uses the first two states.
            models.UniqueConstraint(
                fields=["player"],
                condition=Q(state__in=["joined", "ready", "seated", "racing"], bot=""),
                name="one_race_at_once",
            ),
        ]
        indexes = [models.Index(fields=["player", "-id"], name="entrant_history")]

    def __str__(self) -> str:
        return f"entrant {self.pk} of race {self.race_id}"

    @property
    def is_no_show(self) -> bool:
        """True for a player who missed the start of a heat, and so belongs to none of its divisions."""
        return self.state == self.State.ABSENT and self.attempt_id is None and self.race.scheduled_at is not None

    @property
    def is_in_review(self) -> bool:
        """True while staff have yet to decide about the record; until then it has no place."""
        return self.attempt is not None and self.attempt.state == Attempt.State.REVIEW

    @property
    def score(self) -> Score:
        """The result of a racer, as it ranks."""
        return Score(cast("Outcome", self.state), self.cards_up, self.elapsed_ms, self.tokens, self.progress_ms)


class RaceOrigin(models.Model):
    """Origin of a seat taken for a rated race, used to link entrants (`games.races.origins`).

    `device` is the browser's mark, null if it has none; `network` is a keyed digest, empty if unknown.
    """

    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    device = models.UUIDField(null=True)
    network = models.BinaryField(max_length=16)
    made_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["player", "made_at"], name="race_origin_player"),
            models.Index(fields=["made_at"], name="race_origin_age"),
        ]


class RoomWebhook(models.Model):
    """Webhook for the results of a room, visible only to the host who set it.

    `url` is a credential: anyone who has it can post. It becomes empty once the service has reported that it is gone;
    the row then tells the host. A row of a player who is no longer the host is not used.
    """

    class State(models.TextChoices):
        """Outcome of the last message."""

        UNUSED = "unused"
        POSTED = "posted"
        FAILED = "failed"
        DROPPED = "dropped"
        GONE = "gone"

    room = models.OneToOneField(Room, on_delete=models.CASCADE, related_name="webhook")
    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    url = models.CharField(max_length=500, blank=True)
    language = models.CharField(max_length=8)
    state = models.CharField(max_length=7, choices=State.choices, default=State.UNUSED)
    made_at = models.DateTimeField()
    state_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"webhook of room {self.room_id}"
