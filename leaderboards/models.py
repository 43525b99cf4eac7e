"""The rows of the boards: fields and constraints only."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from games.ladders import Ladder


class Ranked(models.Model):
    """Something a board ranks: a score, its keys (see `leaderboards.keys`), and whether it is listed.

    No board counts or shows an entry that is not listed, such as a guest's or a banned player's.
    """

    cards_up = models.PositiveIntegerField(_("cards up"))
    elapsed_ms = models.BigIntegerField(_("elapsed time in ms"))
    tokens = models.PositiveIntegerField(_("tokens"))
    finished_at = models.DateTimeField(_("finished at"))
    race_key = models.BigIntegerField(editable=False)
    fewest_key = models.BigIntegerField(editable=False)
    listed = models.BooleanField(_("listed"), default=False)

    class Meta:
        abstract = True


class Result(Ranked):
    """A player's one verified result on a deal."""

    attempt = models.OneToOneField("games.Attempt", on_delete=models.CASCADE, related_name="result")
    deal = models.ForeignKey("games.Deal", on_delete=models.PROTECT, related_name="results", db_index=False)
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="results", db_index=False
    )
    # The attempt's, repeated so that each ladder has indexes of its own.
    ladder = models.PositiveSmallIntegerField(
        _("ladder"), choices=Ladder, default=Ladder.ESTABLISHED, db_default=Ladder.ESTABLISHED
    )

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
    """The version of a deal's boards, raised by every transaction that changes them. The row is also their lock."""

    deal = models.OneToOneField("games.Deal", on_delete=models.CASCADE, primary_key=True, related_name="board")
    version = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"board of deal {self.deal_id}, version {self.version}"


class Season(models.Model):
    """A period whose boards add up each player's deals, of one variant or (without one) of all.

    Seasons are of the established ladder; only the nine of a day have one for the newcomers too.
    """

    class Period(models.TextChoices):
        """The lengths of a season."""

        NINE = "nine", _("the nine")
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
    """The sum of a player's listed results on the season's ladder.

    The nine of a day are ranked by `points` (`games.deals.points`), other seasons by the cards up, and have none.
    """

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="standings", db_index=False)
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="standings", db_index=False
    )
    deals = models.PositiveIntegerField(_("deals"))
    points = models.PositiveSmallIntegerField(_("points"), null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("player", "season"), name="standing_once"),)
        indexes = (
            models.Index(
                fields=("season", "race_key", "elapsed_ms", "tokens", "finished_at", "id"),
                condition=Q(listed=True),
                name="standing_race",
            ),
            models.Index(
                fields=("season", "fewest_key", "elapsed_ms", "finished_at", "id"),
                condition=Q(listed=True),
                name="standing_fewest",
            ),
        )

    def __str__(self) -> str:
        return f"{self.deals} deals, {self.cards_up} cards"


class Reranking(models.Model):
    """A mark that a player's results may not be listed as the player's row says; deleted once they are.

    The transaction that changes the row writes it, so that the follow-up is never forgotten.
    """

    player = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+"
    )
    due_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"player {self.player_id}"


class Recount(models.Model):
    """A mark that a player's standings in the seasons of a day are out of date; deleted by the transaction that updates
    them.

    If that fails, the mark notes when it was tried. It is tried again after a while, or with the next change.
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
    """How many listed entries share a prefix of the key, at one level of the histogram of one board."""

    # `leaderboards.listings.Listing.code`
    board = models.PositiveSmallIntegerField()
    level = models.PositiveSmallIntegerField()
    prefix = models.BigIntegerField()
    entries = models.IntegerField()

    class Meta:
        abstract = True


class DealBucket(Bucket):
    """A bucket of a deal's boards."""

    deal = models.ForeignKey("games.Deal", on_delete=models.CASCADE, related_name="+", db_index=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("deal", "board", "level", "prefix"), name="deal_bucket_once"),)

    def __str__(self) -> str:
        return f"deal {self.deal_id}: {self.entries}"


class SeasonBucket(Bucket):
    """A bucket of a season's boards."""

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="+", db_index=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("season", "board", "level", "prefix"), name="season_bucket_once"),
        )

    def __str__(self) -> str:
        return f"season {self.season_id}: {self.entries}"


class RatedRace(models.Model):
    """A finished rated race that the fold of ratings has been over, whether or not it changed any.

    Who was a guest then stays one for the race: an account made later must not change others' ratings.
    """

    race = models.OneToOneField("races.Race", on_delete=models.CASCADE, primary_key=True, related_name="rating")
    # Ids of entrants.
    guests = models.JSONField(default=list, blank=True)

    def __str__(self) -> str:
        return f"race {self.race_id}"


class Rating(models.Model):
    """A player's rating after the races so far: the last of the player's `RatingChange`s."""

    player = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, primary_key=True, related_name="rating"
    )
    mu = models.FloatField()
    sigma = models.FloatField()
    races = models.PositiveIntegerField()
    last_raced_at = models.DateTimeField()

    class Meta:
        verbose_name = _("rating")
        verbose_name_plural = _("ratings")
        indexes = (models.Index(fields=("-mu", "player"), name="rating_board"),)

    def __str__(self) -> str:
        return f"{round(self.mu)} after {self.races} races"


class RatingChange(models.Model):
    """What a race did to a player's rating. Races are rated in the order (`finished_at`, race)."""

    entrant = models.OneToOneField("races.Entrant", on_delete=models.CASCADE, related_name="rating_change")
    # The changes of one race are found by its entrants, and an entrant vouches for its race. That the database looked
    # for race and player of each row as well took a third of its time of a fold.
    race = models.ForeignKey(
        "races.Race", on_delete=models.CASCADE, related_name="rating_changes", db_index=False, db_constraint=False
    )
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="rating_changes",
        db_index=False,
        db_constraint=False,
    )
    finished_at = models.DateTimeField()
    # The place as it was rated.
    rank = models.PositiveSmallIntegerField()
    mu_before = models.FloatField()
    sigma_before = models.FloatField()
    mu_after = models.FloatField()
    sigma_after = models.FloatField()
    # How many rated races of the player this makes.
    races = models.PositiveIntegerField()

    class Meta:
        indexes = (
            models.Index(fields=("player", "finished_at", "race"), name="rating_history"),
            models.Index(fields=("finished_at", "race"), name="rating_order"),
        )

    def __str__(self) -> str:
        return f"{round(self.mu_before)} → {round(self.mu_after)} in race {self.race_id}"
