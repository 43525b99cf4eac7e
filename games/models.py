"""Deals, attempts and the move journal: fields and constraints only.

What may be done with them, and when, is decided in `games.deals`, `games.attempts` and `games.live.journal`.
"""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Substr
from django.utils.translation import gettext_lazy as _

from games.ladders import Ladder, LadderSlug

#: How long a running attempt may go on after its daily deal has closed. The seed is revealed after that.
GRACE = timedelta(hours=1)


class Deal(models.Model):
    """A shuffled deck to play: the daily deal of a variant, or (without a day) that of a race or for practice."""

    variant = models.CharField(max_length=32, blank=True, default="")
    game = models.CharField(max_length=16)
    options = models.JSONField(default=dict)
    rules_version = models.PositiveSmallIntegerField()
    day = models.DateField(null=True, blank=True)
    seed = models.BinaryField(max_length=32)
    commitment = models.CharField(max_length=64, unique=True)
    opens_at = models.DateTimeField()
    closes_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    proven = models.BooleanField(default=False)
    # One that comes with the code, so that its seed was public before its day (games.deals.starter).
    starter = models.BooleanField(default=False, db_default=False)
    grade = models.PositiveSmallIntegerField(null=True, blank=True)
    par = models.PositiveSmallIntegerField(null=True, blank=True)
    solution = models.BinaryField(null=True, blank=True)
    # A race's deal is nobody's practice: its secrets are kept until the race is over.
    for_race = models.BooleanField(default=False, db_default=False)
    revealed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["variant", "day"], condition=Q(day__isnull=False), name="deal_a_variant_and_day"
            ),
            models.CheckConstraint(
                condition=Q(day__isnull=True) | Q(closes_at__isnull=False), name="daily_deal_closes"
            ),
        ]
        indexes = [
            models.Index(fields=["day"], name="deal_day"),
            # Those that practice shares out.
            models.Index(
                fields=["game", "variant", "grade"],
                condition=Q(day=None, for_race=False, proven=True),
                name="deal_practised",
            ),
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        """``braid 2026-11-21``, ``braid race 17`` or ``braid practice 17``."""
        name = self.variant or self.game
        if self.day:
            return f"{name} {self.day.isoformat()}"
        return f"{name} {'race' if self.for_race else 'practice'} {self.pk}"

    def is_open(self, now: datetime) -> bool:
        """Whether an attempt may start: at a daily deal on its day, at a practice deal any time."""
        return self.opens_at <= now and (self.closes_at is None or now < self.closes_at)

    def is_closed(self, now: datetime) -> bool:
        """Whether this is a daily deal whose day is over. Its last attempts may still be running."""
        return self.closes_at is not None and now >= self.closes_at

    def is_revealed(self, now: datetime) -> bool:
        """Whether everybody may see the seed: of a daily deal once nobody can be playing it for a rank any more, of a
        race's once the race is finished.

        A practice deal is never revealed to everybody; its own player may see the seed when the attempt is over.
        """
        if self.revealed_at is not None:
            return now >= self.revealed_at
        return self.closes_at is not None and now >= self.closes_at + GRACE


class Attempt(models.Model):
    """A player's attempt at a deal, from seeing the cards to the verdict."""

    class State(models.TextChoices):
        """The state of an attempt. Only `playing` takes moves, only `verified` is ranked."""

        PLAYING = "playing", _("Playing")
        PENDING = "pending", _("Pending")
        VERIFIED = "verified", _("Verified")
        REJECTED = "rejected", _("Rejected")
        REVIEW = "review", _("Review")

    class End(models.TextChoices):
        """How an attempt ended."""

        WON = "won", _("Won")
        RESIGNED = "resigned", _("Resigned")
        CLOSED = "closed", _("Closed")

    id = models.BigAutoField(primary_key=True)
    public_id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    deal = models.ForeignKey(Deal, on_delete=models.PROTECT, related_name="attempts")
    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="attempts")
    ranked = models.BooleanField()
    state = models.CharField(max_length=8, choices=State.choices, default=State.PLAYING)
    started_at = models.DateTimeField()
    # Since when practice is paused, and how long the pauses before lasted: the attempt's clock leaves both out.
    paused_at = models.DateTimeField(null=True, blank=True, editable=False)
    paused_ms = models.BigIntegerField(default=0, db_default=0, editable=False)
    deadline = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    end = models.CharField(max_length=8, choices=End.choices, blank=True, default="")
    record = models.BinaryField(null=True, blank=True)
    # Set by the verdict alone, from the replayed record.
    cards_up = models.PositiveSmallIntegerField(null=True, blank=True)
    elapsed_ms = models.BigIntegerField(null=True, blank=True)
    tokens = models.PositiveSmallIntegerField(null=True, blank=True)
    reasons = models.JSONField(default=list, blank=True)
    verify_tries = models.PositiveSmallIntegerField(default=0)
    # Whether another attempt's verification has taken it along once (leaderboards.waiting).
    gathered = models.BooleanField(db_default=False, editable=False)
    verified_at = models.DateTimeField(null=True, blank=True)
    # Decided with the first verdict on a game of the day, and kept whatever comes later.
    ladder = models.PositiveSmallIntegerField(null=True, blank=True, choices=Ladder)
    # [first_n, last_n] of every run of tokens that the server played itself.
    auto_runs = models.JSONField(default=list, blank=True)
    # What was decided in a ranked win, by which copies are found (games.fairplay.copies); null when not compared.
    line = models.BinaryField(null=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["player", "deal"], condition=Q(ranked=True), name="one_ranked_attempt"),
            models.CheckConstraint(
                condition=Q(state="playing", finished_at__isnull=True, record__isnull=True, end="")
                | (~Q(state="playing") & Q(finished_at__isnull=False, record__isnull=False) & ~Q(end="")),
                name="attempt_ends_with_a_record",
            ),
            models.CheckConstraint(
                condition=Q(paused_at__isnull=True) | Q(state="playing", ranked=False, deadline__isnull=True),
                name="only_practice_is_paused",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "finished_at"], name="attempt_sweep"),
            models.Index(fields=["state", "deadline"], name="attempt_due"),
            models.Index(fields=["player", "-started_at"], name="attempt_history"),
            # The parts of the sketch that a line begins with (games.fairplay.copies).
            *(
                models.Index("deal", Substr("line", at, 4), condition=Q(line__isnull=False), name=f"attempt_line_{at}")
                for at in (1, 5, 9, 13)
            ),
        ]
        permissions = [("decide_attempt", "Can decide attempts at the staff's desk")]

    def __str__(self) -> str:
        return str(self.public_id)

    @property
    def is_over(self) -> bool:
        """Whether the attempt takes no more moves."""
        return self.state != self.State.PLAYING

    @property
    def may_pause(self) -> bool:
        """Whether its clock may be stopped: only in practice, where it is nobody else's."""
        return not self.ranked and self.deadline is None

    @property
    def ladder_slug(self) -> LadderSlug | None:
        """The name of its ladder in addresses and messages, once there is one."""
        return Ladder(self.ladder).slug if self.ladder else None

    @property
    def in_race(self) -> bool:
        """Whether this is an entrant's attempt; a race's deal may be practised afterwards, without a deadline."""
        return self.deadline is not None and self.deal.for_race


class Move(models.Model):
    """One acknowledged token of a running attempt.

    The transaction that closes the attempt writes a row with the next number and an empty token, so that an insert at
    the same time fails on the primary key. Rows are deleted some time after the record is folded.
    """

    pk = models.CompositePrimaryKey("attempt_id", "n")
    # Not a foreign key, which would lock the attempt's row at every move: the journal's insert checks the attempt.
    attempt = models.ForeignKey(
        Attempt, on_delete=models.CASCADE, related_name="moves", db_constraint=False, db_index=False
    )
    n = models.IntegerField()
    token = models.CharField(max_length=8, blank=True)
    ms = models.BigIntegerField()
    # Played by the server, in an auto-finish or before a game that goes on from a replay; folded into auto_runs.
    auto = models.BooleanField(default=False)

    class Meta:
        # The rows that mark a close, one for each attempt, which the purge looks for.
        indexes = [models.Index(fields=["attempt"], condition=Q(token=""), name="move_folded")]

    def __str__(self) -> str:
        return f"{self.n} {self.token}"


class Start(models.Model):
    """Where a game of the day was begun from, by which games of one device are found (`games.fairplay.links`).

    `device` is the browser's mark, `network` a keyed digest of its network's address, empty if that is unknown. When
    the player is gone the row stays without the attempt until the deal is revealed.
    """

    attempt = models.OneToOneField(Attempt, on_delete=models.SET_NULL, null=True, related_name="start")
    # The attempt's, repeated so that one index finds all that a device began at a deal. Deals of a day are for ever.
    deal = models.ForeignKey(Deal, on_delete=models.DO_NOTHING, related_name="+", db_index=False, db_constraint=False)
    device = models.UUIDField()
    network = models.BinaryField(max_length=16)
    made_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["device", "deal"], name="start_device"),
            models.Index(fields=["made_at"], name="start_age"),
        ]

    def __str__(self) -> str:
        return f"{self.attempt_id} at {self.made_at.isoformat()}"


class ForesightFigures(models.Model):
    """What a game of the day tells of foresight (`games.fairplay.foresight`): evidence for staff, never for players."""

    attempt = models.OneToOneField(Attempt, on_delete=models.CASCADE, related_name="+")
    # Of which form the figures are (games.fairplay.foreseen.FORM); those of an older one are taken anew.
    form = models.PositiveSmallIntegerField()
    figures = models.JSONField()
    made_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "foresight figures"
        indexes = [models.Index(fields=["made_at"], name="foresight_age")]

    def __str__(self) -> str:
        return f"foresight of {self.attempt_id}"


class Kept(models.Model):
    """A row that is written once: what staff did and wrote stays as it was."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401
        if not self._state.adding:
            raise TypeError("what staff wrote is not changed")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:  # noqa: ANN401, ARG002
        raise TypeError("what staff wrote is not deleted")


class Decision(Kept):
    """What staff decided about an attempt, and why. The last one stands; those before it are its history.

    `before` and `reasons_before` are what the attempt had until then, so that a decision can be undone; that, too, is a
    decision. Those made together share a `batch`. `result_id` was its result's, by which equal scores are in order.
    """

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="decisions")
    state = models.CharField(max_length=8, choices=Attempt.State.choices)
    before = models.CharField(max_length=8, choices=Attempt.State.choices)
    reasons_before = models.JSONField(default=list)
    result_id = models.BigIntegerField(null=True)
    why = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField()
    batch = models.UUIDField(null=True, db_index=True)
    undoes = models.OneToOneField("self", on_delete=models.CASCADE, null=True, related_name="undone_by")

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.before} → {self.state}"


class StaffNote(Kept):
    """What somebody of the staff noted of an attempt, for the others."""

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="staff_notes")
    text = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"note of {self.made_at.isoformat()}"


class SeenDeal(models.Model):
    """That somebody of the staff has watched a game of a deal that was still secret: they cannot play it for a rank."""

    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    deal = models.ForeignKey(Deal, on_delete=models.CASCADE, related_name="+", db_index=False)
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["player", "deal"], name="deal_seen_once")]

    def __str__(self) -> str:
        return f"deal {self.deal_id} at {self.seen_at.isoformat()}"


class SealedDeal(models.Model):
    """A deal in stock: a secret seed, with a winning record that was replayed before the row was written.

    Using it makes a :class:`Deal` and deletes the row, in one transaction.
    """

    variant = models.CharField(max_length=32)
    rules_version = models.PositiveSmallIntegerField()
    seed = models.BinaryField(max_length=32, unique=True)
    solution = models.BinaryField()
    par = models.PositiveSmallIntegerField()
    grade = models.PositiveSmallIntegerField()
    # What the grade was made from (games.deals.difficulty.Figures).
    random_wins = models.FloatField()
    greedy_wins = models.FloatField()
    nodes = models.BigIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["variant", "grade", "id"], name="sealed_stock")]

    def __str__(self) -> str:
        return f"sealed {self.variant}, grade {self.grade}"


class AwaitedDeal(models.Model):
    """A daily deal that was due when the stock was empty; deleted when the deal is published."""

    variant = models.CharField(max_length=32)
    day = models.DateField()
    since = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["variant", "day"], name="awaited_once")]

    def __str__(self) -> str:
        return f"{self.variant} {self.day.isoformat()} since {self.since.isoformat()}"


class LedgerEntry(models.Model):
    """One line of the public ledger, written with the daily deal it announces and never changed.

    The fields repeat what was announced, so that the chain can be checked even if a deal's row is changed.
    """

    index = models.PositiveIntegerField(primary_key=True)
    deal = models.OneToOneField(Deal, on_delete=models.PROTECT, related_name="ledger_entry")
    variant = models.CharField(max_length=32)
    day = models.DateField()
    rules_version = models.PositiveSmallIntegerField()
    proven = models.BooleanField()
    commitment = models.CharField(max_length=64)
    opens_at = models.DateTimeField()
    published_at = models.DateTimeField()
    previous = models.CharField(max_length=64, unique=True)
    hash = models.CharField(max_length=64, unique=True)

    class Meta:
        ordering = ["index"]

    def __str__(self) -> str:
        return f"{self.index} {self.variant} {self.day.isoformat()}"


class Question(models.Model):
    """A player's question whether a game can still be won: the last one of each attempt.

    Deleting the row withdraws the question, and the search ends.
    """

    class Answer(models.TextChoices):
        """The answer; empty while the search runs."""

        YES = "yes"
        NO = "no"
        UNKNOWN = "unknown"

    attempt = models.OneToOneField(Attempt, on_delete=models.CASCADE, related_name="question")
    # How many tokens of the attempt had been played at the position asked about.
    n = models.PositiveSmallIntegerField()
    asked_at = models.DateTimeField()
    answer = models.CharField(max_length=7, choices=Answer.choices, blank=True, default="")
    way = models.JSONField(default=list, blank=True)

    def __str__(self) -> str:
        return f"{self.attempt_id} after {self.n}: {self.answer or 'asked'}"


class PracticeOrder(models.Model):
    """A player's wish for a practice deal that can be won, and what was found: the last one of each player.

    Deleting the row withdraws the wish, and the search ends.
    """

    player = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    variant = models.CharField(max_length=32, blank=True)
    game = models.CharField(max_length=16)
    options = models.JSONField(default=dict)
    grade = models.PositiveSmallIntegerField(null=True)
    tried = models.PositiveSmallIntegerField(default=0)
    # The deal that was found, or that of the nearest grade so far.
    deal = models.ForeignKey(Deal, on_delete=models.SET_NULL, null=True, related_name="+")
    ended = models.BooleanField(default=False)
    made_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["made_at"], name="practice_order_age")]

    def __str__(self) -> str:
        return f"{self.variant or self.game} for {self.player_id}"


class Presence(models.Model):
    """The players at the tables of one server process, as it last reported; true only if `seen_at` is recent.

    `tables` maps a variant to `{"now": players at its deal of `day`, "accounts": ids of some who have accounts}`.
    """

    process = models.CharField(max_length=32, primary_key=True)
    seen_at = models.DateTimeField()
    day = models.DateField()
    players = models.PositiveIntegerField()
    tables = models.JSONField()

    class Meta:
        verbose_name_plural = "presence"

    def __str__(self) -> str:
        return f"{self.players} at {self.process}"
