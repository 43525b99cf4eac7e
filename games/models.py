"""Models of deals, attempts and the move journal: fields and constraints only.

The logic is in `games.deals`, `games.attempts.lifecycle` and `games.live.journal`.
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

from games.core.ladders import Ladder, LadderSlug
from games.rules.races.ranking import Outcome, Score

#: Grace period for attempts still running when their daily deal closes. The seed is revealed after it.
GRACE = timedelta(hours=1)


class Deal(models.Model):
    """A shuffled deck: the daily deal of a variant or, without a day, a deal for a race or for practice."""

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
    # Shipped with the code, so that its seed was public before its day (games.deals.starter_deals).
    starter = models.BooleanField(default=False, db_default=False)
    grade = models.PositiveSmallIntegerField(null=True, blank=True)
    par = models.PositiveSmallIntegerField(null=True, blank=True)
    solution = models.BinaryField(null=True, blank=True)
    # The day on which a practice deal is everyone's relaxed deal of its variant (games.deals.relaxed_deals).
    relaxed_day = models.DateField(null=True, blank=True)
    # A race's deal cannot be practised before the race is over; its seed stays secret until then.
    for_race = models.BooleanField(default=False, db_default=False)
    revealed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["variant", "day"], condition=Q(day__isnull=False), name="deal_a_variant_and_day"
            ),
            models.UniqueConstraint(
                fields=["relaxed_day", "variant"], condition=Q(relaxed_day__isnull=False), name="relaxed_deal_of_day"
            ),
            models.CheckConstraint(
                condition=Q(day__isnull=True) | Q(closes_at__isnull=False), name="daily_deal_closes"
            ),
        ]
        indexes = [
            models.Index(fields=["day"], name="deal_day"),
            # Certified practice deals, which are handed out to several players.
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
        """Short name, such as ``braid 2026-11-21``, ``braid race 17`` or ``braid practice 17``."""
        name = self.variant or self.game
        if self.day:
            return f"{name} {self.day.isoformat()}"
        return f"{name} {'race' if self.for_race else 'practice'} {self.pk}"

    def is_open(self, now: datetime) -> bool:
        """Return True if an attempt may start: on its day for a daily deal, at any time for a practice deal."""
        return self.opens_at <= now and (self.closes_at is None or now < self.closes_at)

    def is_closed(self, now: datetime) -> bool:
        """Return True for a daily deal whose day is over. Its last attempts may still be running."""
        return self.closes_at is not None and now >= self.closes_at

    def is_revealed(self, now: datetime) -> bool:
        """Return True if the seed is public: for a daily deal once its last ranked attempts have ended, for a race's
        deal once the race is finished.

        A practice deal never becomes public; its own player may see the seed when the attempt is over.
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
        """The way an attempt ended."""

        WON = "won", _("Won")
        RESIGNED = "resigned", _("Gave up")
        CLOSED = "closed", _("Closed")

    id = models.BigAutoField(primary_key=True)
    public_id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    deal = models.ForeignKey(Deal, on_delete=models.PROTECT, related_name="attempts")
    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="attempts")
    ranked = models.BooleanField()
    state = models.CharField(max_length=8, choices=State.choices, default=State.PLAYING)
    started_at = models.DateTimeField()
    # Start of the current pause of a practice game, and total length of earlier pauses; the clock excludes both.
    paused_at = models.DateTimeField(null=True, blank=True, editable=False)
    paused_ms = models.BigIntegerField(default=0, db_default=0, editable=False)
    deadline = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    end = models.CharField(max_length=8, choices=End.choices, blank=True, default="")
    record = models.BinaryField(null=True, blank=True)
    # Set only by the verdict, from the replayed record.
    cards_up = models.PositiveSmallIntegerField(null=True, blank=True)
    elapsed_ms = models.BigIntegerField(null=True, blank=True)
    tokens = models.PositiveSmallIntegerField(null=True, blank=True)
    # Progress time in ms (games.rules.progress_time); null in results stored before, until
    # `talon.backfill_progress` has filled it in.
    progress_ms = models.BigIntegerField(null=True, blank=True)
    # True if it counts towards the established ladder (leaderboards.boards.eligibility.is_real_play).
    real_play = models.BooleanField(db_default=False, default=False, editable=False)
    reasons = models.JSONField(default=list, blank=True)
    verify_tries = models.PositiveSmallIntegerField(default=0)
    # True once another attempt's verification has included this one (leaderboards.verdicts.pending_attempts).
    gathered = models.BooleanField(db_default=False, editable=False)
    verified_at = models.DateTimeField(null=True, blank=True)
    # Set with the first verdict on a ranked attempt, and never changed by later ones.
    ladder = models.PositiveSmallIntegerField(null=True, blank=True, choices=Ladder)
    # False in races in which a move that revealed a card cannot be undone (games.rules.hidden_cards).
    free_undo = models.BooleanField(default=True, db_default=True)
    # True once the player has asked for a hint, or whether the game can still be won.
    hinted = models.BooleanField(default=False, db_default=False, editable=False)
    # [first_n, last_n] of each run of tokens that the server played itself.
    auto_runs = models.JSONField(default=list, blank=True)
    # Of a ranked win, used to find copies (games.fairplay.copies); null if not compared.
    decisions_digest = models.BinaryField(null=True, editable=False, db_column="line")

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
            # The parts of the sketch at the start of a digest (games.fairplay.copies).
            *(
                models.Index(
                    "deal",
                    Substr("decisions_digest", at, 4),
                    condition=Q(decisions_digest__isnull=False),
                    name=f"attempt_line_{at}",
                )
                for at in (1, 5, 9, 13)
            ),
        ]
        permissions = [("decide_attempt", "Can decide attempts at the staff's desk")]

    def __str__(self) -> str:
        return str(self.public_id)

    @property
    def is_over(self) -> bool:
        """True if the attempt takes no more moves."""
        return self.state != self.State.PLAYING

    @property
    def score(self) -> Score:
        """The result of the verdict, as it ranks."""
        outcome: Outcome = "won" if self.end == self.End.WON else "retired"
        return Score(outcome, self.cards_up, self.elapsed_ms, self.tokens, self.progress_ms)

    @property
    def may_pause(self) -> bool:
        """True if the clock may be paused: only in practice, where the time concerns no other player."""
        return not self.ranked and self.deadline is None

    @property
    def ladder_slug(self) -> LadderSlug | None:
        """The ladder's name in URLs and messages, or None before the first verdict."""
        return Ladder(self.ladder).slug if self.ladder else None

    @property
    def in_race(self) -> bool:
        """True for an entrant's attempt in a race; practice of a race's deal afterwards has no deadline."""
        return self.deadline is not None and self.deal.for_race


class Move(models.Model):
    """One acknowledged token of a running attempt.

    The transaction that closes the attempt writes a row with the next number and an empty token, so that a concurrent
    insert fails on the primary key. Rows are deleted some time after they are folded into the record.
    """

    pk = models.CompositePrimaryKey("attempt_id", "n")
    # No foreign key constraint, which would lock the attempt's row on every move: the journal's insert checks it.
    attempt = models.ForeignKey(
        Attempt, on_delete=models.CASCADE, related_name="moves", db_constraint=False, db_index=False
    )
    n = models.IntegerField()
    token = models.CharField(max_length=8, blank=True)
    ms = models.BigIntegerField()
    # Played by the server: auto-finish, or the moves before a continuation; folded into auto_runs.
    auto = models.BooleanField(default=False)

    class Meta:
        # The rows that mark a close, one per attempt, for the purge.
        indexes = [models.Index(fields=["attempt"], condition=Q(token=""), name="move_folded")]


class Start(models.Model):
    """Origin of a ranked attempt, used to detect several players on one device (`games.fairplay.account_links`).

    `device` is the browser's mark, `network` a keyed digest of its network's address, empty if unknown. If the player
    is deleted, the row stays without the attempt until the deal is revealed.
    """

    attempt = models.OneToOneField(Attempt, on_delete=models.SET_NULL, null=True, related_name="start")
    # The attempt's deal, repeated so that one index finds all attempts of a device or a network at a deal. Daily deals
    # are never deleted.
    deal = models.ForeignKey(Deal, on_delete=models.DO_NOTHING, related_name="+", db_index=False, db_constraint=False)
    device = models.UUIDField()
    network = models.BinaryField(max_length=16)
    made_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["device", "deal"], name="start_device"),
            models.Index(fields=["network", "deal"], name="start_network"),
            models.Index(fields=["made_at"], name="start_age"),
        ]


class ForesightFigures(models.Model):
    """Foresight measurement of a ranked attempt (`games.fairplay.foresight`): evidence shown to staff, not players."""

    attempt = models.OneToOneField(Attempt, on_delete=models.CASCADE, related_name="+")
    # Format version of the figures (games.fairplay.foresight_store.FORM); figures in an older format are measured
    # again.
    form = models.PositiveSmallIntegerField()
    figures = models.JSONField()
    made_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "foresight figures"
        indexes = [models.Index(fields=["made_at"], name="foresight_age")]


class WriteOnceModel(models.Model):
    """Abstract write-once row: records of what staff did and wrote are never changed."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401
        if not self._state.adding:
            raise TypeError("staff notes and decisions cannot be changed")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:  # noqa: ANN401, ARG002
        raise TypeError("staff notes and decisions cannot be deleted")


class Decision(WriteOnceModel):
    """A staff decision on an attempt, with its reason. The latest one is in force; earlier ones are its history.

    `before` and `reasons_before` are the attempt's previous state and reasons, so that a decision can be undone, which
    is a decision too. Decisions made together share a `batch`. `result_id` is the id of the attempt's result at the
    time, which orders equal scores.
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


class StaffNote(WriteOnceModel):
    """A note on an attempt, written by staff for other staff."""

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="staff_notes")
    text = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]


class SeenDeal(models.Model):
    """Mark that a staff member watched a game of a still secret deal, and so cannot play the deal ranked."""

    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    deal = models.ForeignKey(Deal, on_delete=models.CASCADE, related_name="+", db_index=False)
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["player", "deal"], name="deal_seen_once")]


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
    # The figures behind the grade (games.deals.difficulty.DifficultyFigures).
    random_wins = models.FloatField()
    greedy_wins = models.FloatField()
    nodes = models.BigIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["variant", "grade", "id"], name="sealed_stock")]


class AwaitedDeal(models.Model):
    """A daily deal that was due while the stock was empty; deleted when the deal is published."""

    variant = models.CharField(max_length=32)
    day = models.DateField()
    since = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["variant", "day"], name="awaited_once")]


class LedgerEntry(models.Model):
    """One line of the public ledger, written with the daily deal it announces and never changed.

    The fields repeat what was announced, so that the hash chain can be checked even if a deal's row is changed.
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


class Question(models.Model):
    """A player's latest question about an attempt: can this game still be won?

    Deleting the row withdraws the question and ends the search.
    """

    class Answer(models.TextChoices):
        """The answer; empty while the search runs."""

        YES = "yes"
        NO = "no"
        UNKNOWN = "unknown"

    attempt = models.OneToOneField(Attempt, on_delete=models.CASCADE, related_name="question")
    # Number of tokens played before the position in question.
    n = models.PositiveSmallIntegerField()
    asked_at = models.DateTimeField()
    answer = models.CharField(max_length=7, choices=Answer.choices, blank=True, default="")
    way = models.JSONField(default=list, blank=True)


class PracticeOrder(models.Model):
    """A player's latest request for a winnable practice deal, with the search's result.

    Deleting the row withdraws the request and ends the search.
    """

    player = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    variant = models.CharField(max_length=32, blank=True)
    game = models.CharField(max_length=16)
    options = models.JSONField(default=dict)
    grade = models.PositiveSmallIntegerField(null=True)
    tried = models.PositiveSmallIntegerField(default=0)
    # The deal found, or the one with the nearest grade so far.
    deal = models.ForeignKey(Deal, on_delete=models.SET_NULL, null=True, related_name="+")
    ended = models.BooleanField(default=False)
    made_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["made_at"], name="practice_order_age")]


class Presence(models.Model):
    """Last presence report of a server process: the players at its tables. Valid only while `seen_at` is recent.

    `tables` maps a variant to `{"now": number of players at its deal of `day`, "accounts": ids of some with accounts}`.
    """

    process = models.CharField(max_length=32, primary_key=True)
    seen_at = models.DateTimeField()
    day = models.DateField()
    players = models.PositiveIntegerField()
    tables = models.JSONField()

    class Meta:
        verbose_name_plural = "presence"
