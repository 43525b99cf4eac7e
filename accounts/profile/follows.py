"""Following other players, who then appear on the follower's friends' boards."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from accounts.models import Follow, User

#: Maximum number of players on a friends' board.
MOST_FOLLOWED = 500


def follow(follower: User, followed: User) -> None:
    """Make ``follower`` follow ``followed``. Following twice has no further effect.

    :raises ValidationError: if they are the same player, or ``follower`` follows too many.
    """
    if follower.pk == followed.pk:
        raise ValidationError(_("You can't follow yourself."), code="follow_self")
    if follower.following.count() >= MOST_FOLLOWED:
        raise ValidationError(
            _("You can follow at most %(most)s players."), code="follow_too_many", params={"most": MOST_FOLLOWED}
        )
    Follow.objects.get_or_create(follower=follower, followed=followed)


def is_following(follower_id: int, followed_id: int) -> bool:
    """Return whether one player, by id, follows another."""
    return Follow.objects.filter(follower=follower_id, followed=followed_id).exists()


def unfollow(follower: User, followed: User) -> None:
    """Stop following; does nothing if the player is not followed."""
    Follow.objects.filter(follower=follower, followed=followed).delete()
