"""Models of the boards and ratings: fields and constraints only."""

from __future__ import annotations

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from games.core.ladders import Ladder


class Ranked(models.Model):
    """Entry that a board ranks: a score, its keys (see `leaderboards.boards.rank_keys`), and a flag if it is listed.

    No board counts or shows an unlisted entry, such as a guest's or a banned player's.
    """

    cards_up = models.PositiveIntegerField(_("cards up"))
    elapsed_ms = models.BigIntegerField(_("elapsed time in ms"))
    tokens = models.PositiveIntegerField(_("tokens"))
    finished_at = models.DateTimeField(_("finished at"))
    race_key = models.BigIntegerField(editable=False)
    # Null in a result that was not won, and in a standing without a win: the boards of fewest moves count wins only.
    fewest_key = models.BigIntegerField(null=True, editable=False)
    listed = models.BooleanField(_("listed"), default=False)

    class Meta:
        abstract = True


class Result(Ranked):
    """Verified result of a player on a deal, at most one per deal."""

    attempt = models.OneToOneField("games.Attempt", on_delete=models.CASCADE, related_name="result")
    deal = models.ForeignKey("games.Deal", on_delete=models.PROTECT, related_name="results", db_index=False)
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="results", db_index=False
    )
    # Copy of the attempt's ladder, so that each ladder has its own index range.
    ladder = models.PositiveSmallIntegerField(
        _("ladder"), choices=Ladder, default=Ladder.ESTABLISHED, db_default=Ladder.ESTABLISHED
    )
    # Null in results stored before the attempt's.
    progress_ms = models.BigIntegerField(_("progress time in ms"), null=True)

    class Meta:
        verbose_name = _("result")
        verbose_name_plural = _("results")
        constraints = (models.UniqueConstraint(fields=("player", "deal"), name="result_once"),)
        indexes = (
            models.Index(
                fields=("deal", "ladder", "race_key", "finished_at", "id"),
                condition=Q(listed=True),
                name="result_race",
            ),
            models.Index(
                fields=("deal", "ladder", "fewest_key", "finished_at", "id"),
                condition=Q(listed=True),
                name="result_fewest",
            ),
        )

    def __str__(self) -> str:
        return f"{self.cards_up} cards, {self.elapsed_ms} ms, {self.tokens} tokens"


class DealBoard(models.Model):
    """Version of a deal's boards, raised by every transaction that changes them. The row is also their lock."""

    deal = models.OneToOneField("games.Deal", on_delete=models.CASCADE, primary_key=True, related_name="board")
    version = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"board of deal {self.deal_id}, version {self.version}"


class Season(models.Model):
    """Period whose boards add up each player's deals, of one variant or (if blank) of all.

    Seasons are of the established ladder; only the nine of a day have one for newcomers too.
    """

    class Period(models.TextChoices):
        """Length of a season."""

        NINE = "nine", _("all nine")
        WEEK = "week", _("week")
        MONTH = "month", _("month")
        ALL = "all", _("all time")

    period = models.CharField(max_length=5, choices=Period.choices)
    starts_on = models.DateField(help_text=_("first day; for all time a fixed date"))
    variant = models.CharField(max_length=32, blank=True)
    ladder = models.PositiveSmallIntegerField(
        _("ladder"), choices=Ladder, default=Ladder.ESTABLISHED, db_default=Ladder.ESTABLISHED
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("period", "starts_on", "variant", "ladder"), name="season_once"),
        )

    def __str__(self) -> str:
        return f"{self.period} from {self.starts_on}, {self.variant or 'all variants'}"


class Standing(Ranked):
    """Sum of a player's listed results on the season's ladder.

    The nine of a day are ranked by `points` (`games.deals.daily_points`); other seasons are ranked by cards up and have
    none. The board of fewest moves shows and ranks the sums of the wins.
    """

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="standings", db_index=False)
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="standings", db_index=False
    )
    deals = models.PositiveIntegerField(_("deals"))
    points = models.PositiveSmallIntegerField(_("points"), null=True)
    wins = models.PositiveIntegerField(default=0, db_default=0)
    won_cards_up = models.PositiveIntegerField(default=0, db_default=0)
    won_tokens = models.PositiveIntegerField(default=0, db_default=0)
    won_ms = models.BigIntegerField(default=0, db_default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("player", "season"), name="standing_once"),)
        indexes = (
            models.Index(
                fields=("season", "race_key", "elapsed_ms", "tokens", "finished_at", "id"),
                condition=Q(listed=True),
                name="standing_race",
            ),
            models.Index(
                fields=("season", "fewest_key", "won_ms", "finished_at", "id"),
                condition=Q(listed=True),
                name="standing_fewest",
            ),
        )

    def __str__(self) -> str:
        return f"{self.deals} deals, {self.cards_up} cards"


class Reranking(models.Model):
    """Marker that a player's results may not match the listing rules for the player's row; deleted once they do.

    The transaction that changes the row writes it, so that the follow-up cannot be lost.
    """

    player = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+"
    )
    due_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"player {self.player_id}"


class Recount(models.Model):
    """Marker for stale standings of a player in the seasons of a day; deleted by the transaction that updates them.

    If that fails, the marker stores the time of the failure. It is retried after a while, or with the next change.
    """

    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    day = models.DateField()
    marked_at = models.DateTimeField(auto_now_add=True)
    failed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("player", "day"), name="recount_once"),)

    def __str__(self) -> str:
        return f"player {self.player_id}, {self.day}"


class Bucket(models.Model):
    """Number of listed entries that share a key prefix, at one level of a board's histogram."""

    # `leaderboards.boards.listings.Listing.code`
    board = models.PositiveSmallIntegerField()
    level = models.PositiveSmallIntegerField()
    prefix = models.BigIntegerField()
    entries = models.IntegerField()

    class Meta:
        abstract = True


class DealBucket(Bucket):
    """Bucket of a deal's boards."""

    deal = models.ForeignKey("games.Deal", on_delete=models.CASCADE, related_name="+", db_index=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("deal", "board", "level", "prefix"), name="deal_bucket_once"),)

    def __str__(self) -> str:
        return f"deal {self.deal_id}: {self.entries}"


class SeasonBucket(Bucket):
    """Bucket of a season's boards."""

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="+", db_index=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("season", "board", "level", "prefix"), name="season_bucket_once"),
        )

    def __str__(self) -> str:
        return f"season {self.season_id}: {self.entries}"


class RatedRace(models.Model):
    """Finished race that the rating fold has processed, even if no rating changed.

    A player who was a guest at that time stays one for the race: a later account must not change other players'
    ratings.
    """

    race = models.OneToOneField("races.Race", on_delete=models.CASCADE, primary_key=True, related_name="rating")
    # Entrant ids.
    guests = models.JSONField(default=list, blank=True)
    # `leaderboards.ratings.rules.VERSION` at that time.
    version = models.PositiveSmallIntegerField(default=0, db_default=0)
    # Set by the transaction that changes the race's places, so that the next fold rates it again.
    is_stale = models.BooleanField(default=False, db_default=False)

    def __str__(self) -> str:
        return f"race {self.race_id}"


class RatingRow(models.Model):
    """Current rating of a player: the state after the last change."""

    player = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, primary_key=True, related_name="%(class)s"
    )
    mu = models.FloatField()
    sigma = models.FloatField()
    races = models.PositiveIntegerField()
    last_raced_at = models.DateTimeField()
    objects: ClassVar[models.Manager[Self]] = models.Manager()

    class Meta:
        abstract = True
        indexes = (models.Index(fields=("-mu", "player"), name="%(class)s_board"),)

    def __str__(self) -> str:
        return f"{round(self.mu)} after {self.races} races"


class Rating(RatingRow):
    """Rating from races against regulars."""

    class Meta(RatingRow.Meta):
        verbose_name = _("rating")
        verbose_name_plural = _("ratings")


class ProvisionalRating(RatingRow):
    """Rating from all rated races."""


class ChangeRow(models.Model):
    """Rating change of a player in a race. Races are rated in the order (`finished_at`, race)."""

    entrant = models.OneToOneField("races.Entrant", on_delete=models.CASCADE, related_name="%(class)s")
    # Changes of a race are looked up by its entrants, and the entrant's foreign key implies the race. Also checking
    # race and player of each row took a third of the database time of a fold.
    race = models.ForeignKey(
        "races.Race", on_delete=models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False, db_constraint=False
    )
    finished_at = models.DateTimeField()
    # Place used for the rating.
    rank = models.PositiveSmallIntegerField()
    mu_before = models.FloatField()
    sigma_before = models.FloatField()
    mu_after = models.FloatField()
    sigma_after = models.FloatField()
    # Number of the player's races so far that changed this kind of rating, including this one.
    races = models.PositiveIntegerField()
    objects: ClassVar[models.Manager[Self]] = models.Manager()

    class Meta:
        abstract = True
        indexes = (
            models.Index(fields=("player", "finished_at", "race"), name="%(class)s_history"),
            models.Index(fields=("finished_at", "race"), name="%(class)s_order"),
        )

    def __str__(self) -> str:
        return f"{round(self.mu_before)} → {round(self.mu_after)} in race {self.race_id}"


class RatingChange(ChangeRow):
    """Change of a `Rating`."""


class ProvisionalChange(ChangeRow):
    """Change of a `ProvisionalRating`."""
