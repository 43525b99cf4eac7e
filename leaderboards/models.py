"""The rows of the boards: fields and constraints only."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


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

    class Meta:
        verbose_name = _("result")
        verbose_name_plural = _("results")
        constraints = (models.UniqueConstraint(fields=("player", "deal"), name="result_once"),)
        indexes = (
            models.Index(
                fields=("deal", "race_key", "finished_at", "id"), condition=Q(listed=True), name="result_race"
            ),
            models.Index(
                fields=("deal", "fewest_key", "finished_at", "id"), condition=Q(listed=True), name="result_fewest"
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
    """A period whose boards add up each player's deals, of one variant or (without one) of all."""

    class Period(models.TextChoices):
        """The lengths of a season."""

        WEEK = "week", _("week")
        MONTH = "month", _("month")
        ALL = "all", _("all time")

    period = models.CharField(max_length=5, choices=Period.choices)
    starts_on = models.DateField(help_text=_("first day; for all time a fixed date"))
    variant = models.CharField(max_length=32, blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("period", "starts_on", "variant"), name="season_once"),)

    def __str__(self) -> str:
        return f"{self.period} from {self.starts_on}, {self.variant or 'all variants'}"


class Standing(Ranked):
    """The sum of a player's listed results in a season."""

    season = models.ForeignKey(Season, on_delete=models.CASCADE, related_name="standings", db_index=False)
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="standings", db_index=False
    )
    deals = models.PositiveIntegerField(_("deals"))

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
