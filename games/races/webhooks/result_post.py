"""Post of a race's result to the webhook of its room: the winner, every racer with a place, and a link.

Posts are limited for the room and its host.
"""

from __future__ import annotations

import json
import logging
import re
import time
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Final

from django.conf import settings
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from games.core import limits
from games.core.errors import RateLimitedError
from games.core.https_client import Connect, connect, post
from games.presentation import titles
from games.races.models import Entrant, Race, RoomWebhook
from games.races.results.shown_entrants import Listing, ShownEntrant, headline, result_in_words, shown_entrants
from games.races.webhooks import room_webhooks
from games.races.webhooks.webhook_url import host_of, is_allowed

log = logging.getLogger(__name__)

Message = dict[str, Any]
"""A message in the form of Discord's webhooks."""

#: ASCII punctuation, all of which Discord's Markdown lets a backslash escape.
_PUNCTUATION: Final = re.compile(r"([!-/:-@\[-`{-~])")
#: No text of a message notifies anyone, not even `@everyone` in a name.
_NO_MENTIONS: Final[dict[str, list[str]]] = {"parse": []}
_S: Final = RoomWebhook.State
_OVER: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE})
_BUSY: Final = frozenset({HTTPStatus.TOO_MANY_REQUESTS, *range(500, 600)})
#: Seconds before the only retry, for a service that is busy or broken.
_PAUSE: Final = 2.0
_HEADERS: Final = {"Content-Type": "application/json", "User-Agent": "Talon (results webhook, 1)"}


def post_result(race_id: int, connect: Connect = connect) -> None:
    """Post the result of a finished race, unless it was posted before or its room has no webhook."""
    race = room_webhooks.claim_result(race_id)
    if race is None:
        return
    webhook = race.room.webhook
    message = result_message(race, webhook.language)
    if message is None:
        return
    try:
        send(webhook, message, connect, retry=True)
    except RateLimitedError:
        store_state(webhook, RoomWebhook.State.DROPPED)


def result_message(race: Race, language: str) -> Message | None:
    """Return the message about a race with its room, or None if no one has a place."""
    with translation.override(language):
        found = shown_entrants(race, Listing.of(race), me=None)
        placed = [replace(entrant, name=escaped(entrant.name or _("A guest"))) for entrant in found if entrant.place]
        if not placed:
            return None
        title = titles.deal_title(race.variant, race.game)
        embed = {
            "title": _("Race %(number)s: %(title)s") % {"number": race.number, "title": title},
            "url": settings.PUBLIC_URL + reverse("games:race_result", args=[race.room.code, race.number]),
            "description": "\n".join(_line(race, entrant) for entrant in placed),
        }
        if race.finished_at is not None:
            embed["timestamp"] = race.finished_at.isoformat()
        return _message(headline(placed), embed)


def trial_message(language: str) -> Message:
    """Return the message with which a host tries the webhook."""
    with translation.override(language):
        return _message(_("Test message from Talon: results of your race room will be posted here."))


def escaped(text: str) -> str:
    """Escape a text for Discord's Markdown."""
    return _PUNCTUATION.sub(r"\\\1", text)


def send(webhook: RoomWebhook, message: Message, connect: Connect = connect, *, retry: bool = False) -> None:
    """Send a message and store its outcome. A webhook that no longer exists loses its URL.

    :raises RateLimitedError: after too many messages for the room or its host.
    """
    limits.spend_of(webhook.room_id, "webhook_room")
    limits.spend_of(webhook.player_id, "webhook")
    status = _post(webhook.url, message, connect)
    if retry and status in _BUSY:
        time.sleep(_PAUSE)
        status = _post(webhook.url, message, connect)
    store_state(webhook, _state(webhook.url, status))


def store_state(webhook: RoomWebhook, state: RoomWebhook.State) -> None:
    """Store the outcome of a message, unless the host has replaced the webhook in the meantime."""
    url = "" if state == _S.GONE else webhook.url
    RoomWebhook.objects.filter(pk=webhook.pk, url=webhook.url).update(state=state, state_at=timezone.now(), url=url)


def _post(url: str, message: Message, connect: Connect) -> int | None:
    # The operator may have removed a service since the URL was stored.
    return post(url, json.dumps(message).encode(), _HEADERS, connect) if is_allowed(url) else None


def _state(url: str, status: int | None) -> RoomWebhook.State:
    if status in _OVER:
        return _S.GONE
    if status is None or not HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        log.warning("a webhook refused a message", extra={"service": host_of(url), "status": status})
        return _S.FAILED
    return _S.POSTED


def _line(race: Race, entrant: ShownEntrant) -> str:
    """Return the place, name and result of an entrant."""
    is_out = entrant.state == Entrant.State.DISQUALIFIED
    result = entrant.state_title if is_out else result_in_words(race, entrant)
    return f"**{entrant.place}.** {entrant.name}: {result}"


def _message(content: str, *embeds: dict[str, str]) -> Message:
    return {"content": content, "embeds": list(embeds), "allowed_mentions": _NO_MENTIONS}
