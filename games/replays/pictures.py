"""Animated pictures of games: requested on a page, drawn by a worker, stored in the database for some days.

Only the newest pictures are kept, so that they never take more than a few hundred MB.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.utils import timezone

from games.attempts.lifecycle import record_of
from games.core import events
from games.models import Attempt
from games.replays import gif_drawing
from games.replays.models import Picture

#: Retention of a picture, and maximum number of stored pictures.
KEPT: Final = timedelta(days=2)
MOST_KEPT: Final = 200

#: Time after which a missing picture is requested again, since the worker or its task was lost.
PATIENCE: Final = timedelta(seconds=30)


def is_drawn(attempt: Attempt) -> bool:
    """Return True if the picture of an attempt is drawn."""
    return Picture.objects.filter(attempt=attempt, image__isnull=False).exists()


def image_of(attempt: Attempt) -> bytes | None:
    """Return the picture of an attempt as GIF, or None if it is not drawn."""
    image = Picture.objects.filter(attempt=attempt).values_list("image", flat=True).first()
    return None if image is None else bytes(image)


def ask(attempt: Attempt, now: datetime | None = None) -> bool:
    """Request the picture of a finished attempt, unless it is in progress; return True if it is already drawn."""
    now = now or timezone.now()
    picture, is_new = Picture.objects.get_or_create(attempt=attempt, defaults={"asked_at": now})
    if picture.image is not None:
        return True
    lost = Picture.objects.filter(pk=picture.pk, image=None, asked_at__lt=now - PATIENCE)
    if is_new or lost.update(asked_at=now):
        events.request_task("talon.draw_picture", attempt.pk)
    return False


def draw(attempt_id: int) -> None:
    """Draw a requested picture, and delete the oldest ones beyond the limit."""
    picture = Picture.objects.select_related("attempt__deal").filter(attempt=attempt_id, image=None).first()
    if picture is None:
        return
    image = gif_drawing.animation(record_of(picture.attempt), _foot(picture.attempt))
    Picture.objects.filter(pk=picture.pk).update(image=image)
    newest = Picture.objects.order_by("-asked_at", "-pk").values_list("pk", flat=True)
    Picture.objects.filter(pk__in=list(newest[MOST_KEPT : 2 * MOST_KEPT])).delete()


def _foot(attempt: Attempt) -> str:
    day = attempt.deal.day
    return f"{settings.SITE_DOMAIN} · {day.isoformat()}" if day else settings.SITE_DOMAIN
