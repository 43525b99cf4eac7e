"""Models of puzzles and tries: fields and constraints only."""

from __future__ import annotations

import uuid
from datetime import timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from games.puzzles.ratings.rating_model import MU, SIGMA


class StoredPuzzle(models.Model):
    """A puzzle. Its number on the site is the primary key.

    `contents` is the JSON form of `games.puzzles.puzzle.Puzzle`, `digest` the SHA-256 of the start position, and
    `moves` the number of moves of the known win. `source` is the game it was found in, if a player's, and `source_n`
    the number of tokens after which that game reached the start, if it did. `mu` and `sigma` are its rating.
    `withdrawn` says why it is no longer offered (`games.puzzles.votes`).
    """

    class Withdrawn(models.TextChoices):
        UNPOPULAR = "unpopular"
        DISPROVED = "disproved"

    variant = models.CharField(max_length=20)
    contents = models.JSONField()
    turns = models.PositiveSmallIntegerField()
    moves = models.PositiveSmallIntegerField()
    digest = models.CharField(max_length=64, unique=True)
    mu = models.FloatField(default=MU, db_default=MU)
    sigma = models.FloatField(default=SIGMA, db_default=SIGMA)
    withdrawn = models.CharField(max_length=9, blank=True, choices=Withdrawn.choices, default="", db_default="")
    added_at = models.DateTimeField(auto_now_add=True)
    source = models.ForeignKey("games.Attempt", on_delete=models.SET_NULL, null=True, related_name="+")
    source_n = models.PositiveSmallIntegerField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["variant"], name="puzzle_variant"),
            models.Index(fields=["mu"], name="puzzle_mu"),
        ]

    def __str__(self) -> str:
        return f"puzzle {self.pk}: {self.variant}"


class SeenPuzzle(models.Model):
    """The first time a player saw a puzzle, on its page or in a run (`games.puzzles.history`)."""

    class Place(models.TextChoices):
        """Place in which a puzzle was seen: its page, or a kind of run. Tries at puzzles seen in runs are not rated."""

        PAGE = "page"
        STORM = "storm"
        RACE = "race"
        STREAK = "streak"

    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="seen_puzzles"
    )
    puzzle = models.ForeignKey(StoredPuzzle, on_delete=models.CASCADE, related_name="seen")
    place = models.CharField(max_length=6, choices=Place.choices)
    seen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["player", "puzzle"], name="seen_once")]


class MissedPuzzle(models.Model):
    """A puzzle that a player has missed, and the day on which it is due again (`games.puzzles.reviews`).

    `token` is the player's last wrong move at it, at `turn`; `passed` counts the reviews solved since.
    """

    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="missed_puzzles"
    )
    puzzle = models.ForeignKey(StoredPuzzle, on_delete=models.CASCADE, related_name="+")
    turn = models.PositiveSmallIntegerField()
    token = models.CharField(max_length=20)
    passed = models.PositiveSmallIntegerField(default=0)
    due_on = models.DateField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["player", "puzzle"], name="missed_once")]


class PuzzleTheme(models.Model):
    """A theme of a puzzle (`games.puzzles.themes`)."""

    puzzle = models.ForeignKey(StoredPuzzle, on_delete=models.CASCADE, related_name="themes")
    theme = models.CharField(max_length=20)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["theme", "puzzle"], name="one_theme_per_puzzle")]


class LoadedFile(models.Model):
    """A shipped file of puzzles that has been loaded, by the checksum in its header."""

    checksum = models.CharField(max_length=64, primary_key=True)
    loaded_at = models.DateTimeField(auto_now_add=True)


class SearchedGame(models.Model):
    """A player's game that has been searched for a puzzle (`games.puzzles.generation.sources`)."""

    attempt = models.OneToOneField("games.Attempt", on_delete=models.CASCADE, primary_key=True, related_name="+")


class DailyPuzzle(models.Model):
    """The puzzle of a day (UTC), which is the same for everyone."""

    day = models.DateField(primary_key=True)
    puzzle = models.ForeignKey(StoredPuzzle, on_delete=models.PROTECT, related_name="days")


class PuzzleTry(models.Model):
    """A player's try at a puzzle: the turns found so far, and the wrong moves.

    `day` is set if it began on the puzzle's own day, and `review_on` if it is a review, due since then. Then only a few
    wrong moves are allowed, and other tries at the puzzle are separate. With `day`, `first_move` is the first move, in
    the spelling of the puzzle's line and losses. `last_move` is the last one, with the turn and the number of wrong
    moves before it. The last three fields are the player's rating before and after the try, which is rated once, and
    when; they are empty if it is not rated.
    """

    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="puzzle_tries")
    puzzle = models.ForeignKey(StoredPuzzle, on_delete=models.CASCADE, related_name="tries")
    day = models.DateField(null=True)
    review_on = models.DateField(null=True)
    turn = models.PositiveSmallIntegerField(default=0)
    mistakes = models.PositiveSmallIntegerField(default=0)
    first_move = models.CharField(max_length=16, default="", db_default="")
    last_move = models.JSONField(null=True)
    begun_at = models.DateTimeField(auto_now_add=True)
    solved_at = models.DateTimeField(null=True)
    failed_at = models.DateTimeField(null=True)
    mu_before = models.FloatField(null=True)
    mu_after = models.FloatField(null=True)
    rated_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["player", "puzzle"], condition=Q(day=None, review_on=None), name="one_try_per_puzzle"
            ),
            models.UniqueConstraint(
                fields=["player", "puzzle", "review_on"], condition=~Q(review_on=None), name="one_try_per_review"
            ),
            models.UniqueConstraint(fields=["player", "day"], condition=~Q(day=None), name="one_try_per_day"),
            models.CheckConstraint(condition=Q(solved_at=None) | Q(failed_at=None), name="puzzle_solved_or_failed"),
        ]


class PuzzleVote(models.Model):
    """A player's vote on a puzzle. `wrong` reports a mistake in it, and `proof` is the outcome of proving it again.

    `counts` is true for votes of players who were established and had solved the puzzle.
    """

    class Vote(models.TextChoices):
        GOOD = "good"
        BAD = "bad"
        WRONG = "wrong"

    class Proof(models.TextChoices):
        """The outcome of proving a reported puzzle again; empty until it is known."""

        HOLDS = "holds"
        BROKEN = "broken"
        UNDECIDED = "undecided"

    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="puzzle_votes")
    puzzle = models.ForeignKey(StoredPuzzle, on_delete=models.CASCADE, related_name="votes")
    vote = models.CharField(max_length=5, choices=Vote.choices)
    counts = models.BooleanField(default=False, db_default=False)
    proof = models.CharField(max_length=9, blank=True, choices=Proof.choices, default="", db_default="")
    voted_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["player", "puzzle"], name="one_vote_per_puzzle")]

    def __str__(self) -> str:
        return f"{self.vote} vote of {self.player_id} on puzzle {self.puzzle_id}"


class PuzzleRating(models.Model):
    """A player's rating in puzzles; accounts without a rated try have none, nor have guests."""

    player = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="puzzle_rating"
    )
    mu = models.FloatField(default=MU)
    sigma = models.FloatField(default=SIGMA)


class PuzzleRun(models.Model):
    """A player's run through puzzles, one after another (`games.puzzles.runs.puzzle_runs`).

    `puzzles` has the primary keys of its puzzles in order, and `missed` the keys of puzzles with a wrong move. `turn`
    counts the moves found at the current puzzle. The clock starts when the first puzzle is shown, or for all racers at
    once in a race. `solved_at` is when the player solved the last puzzle so far, `last_move` the last move with its
    puzzle's index and turn. `moves` has the token of each move, and its time since the start in ms.
    """

    class Kind(models.TextChoices):
        """Kind of a run: puzzles solved in three minutes, alone or in a race, or without a mistake."""

        STORM = "storm"
        RACE = "race"
        STREAK = "streak"

    class Standing(models.TextChoices):
        """A run's standing on its board: of the day for storms, of the month for streaks."""

        LISTED = "listed"
        PRACTICE = "practice"
        TOO_FAST = "too fast"

    public_id = models.UUIDField(unique=True, default=uuid.uuid4)
    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="puzzle_runs")
    kind = models.CharField(max_length=6, choices=Kind.choices, default=Kind.STORM, db_default=Kind.STORM)
    day = models.DateField()
    puzzles = models.JSONField(default=list)
    missed = models.JSONField(default=list)
    skips = models.PositiveSmallIntegerField(default=0, db_default=0)
    turn = models.PositiveSmallIntegerField(default=0)
    last_move = models.JSONField(null=True)
    solved = models.PositiveSmallIntegerField(default=0)
    begun_at = models.DateTimeField(null=True)
    solved_at = models.DateTimeField(null=True)
    standing = models.CharField(
        max_length=8, choices=Standing.choices, default=Standing.PRACTICE, db_default=Standing.PRACTICE
    )
    moves = models.JSONField(default=list, db_default=[])

    class Meta:
        db_table = "puzzles_stormrun"
        indexes = [
            models.Index(fields=["day", "-solved"], name="storm_board"),
            models.Index(fields=["player", "-solved"], name="storm_best"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["player", "day"], condition=~Q(standing="practice") & Q(kind="storm"), name="one_storm_per_day"
            ),
            models.UniqueConstraint(fields=["player", "kind"], condition=Q(begun_at=None), name="one_waiting_run"),
        ]

    @property
    def mistakes(self) -> int:
        """The number of wrong moves; each one ends its puzzle."""
        return len(self.missed)

    @property
    def at(self) -> int:
        """The index of the current puzzle in `puzzles`."""
        return self.solved + self.mistakes + self.skips

    @property
    def solved_ms(self) -> int:
        """The time from the start to the last puzzle solved, in ms; 0 without one."""
        if self.begun_at is None or self.solved_at is None:
            return 0
        return (self.solved_at - self.begun_at) // timedelta(milliseconds=1)
