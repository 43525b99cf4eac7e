"""Ledger heads for archivists: as text, as an Atom feed, and the public key of their signatures."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.deals import ledger_heads

#: More than a year of daily heads.
MAX_LINES: Final = 400
MAX_FEED_ENTRIES: Final = 30


@require_safe
@never_cache
def heads_text(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """Return the head of each day, newest first, one per line."""
    return HttpResponse(ledger_heads.as_text(ledger_heads.heads(MAX_LINES)), content_type="text/plain; charset=utf-8")


@require_safe
@never_cache
def heads_feed(request: HttpRequest) -> HttpResponse:
    """Return the newest heads as an Atom feed; feed readers keep what they have fetched."""
    page = settings.PUBLIC_URL + reverse("games:ledger")
    feed = Atom1Feed(
        title=_("Talon: daily ledger hashes"),
        link=page,
        description="",
        feed_url=settings.PUBLIC_URL + request.path,
    )
    for entry in ledger_heads.heads(MAX_FEED_ENTRIES):
        feed.add_item(
            title=f"{entry.index} {entry.hash}",
            link=f"{page}?before={entry.index + 1}#line-{entry.index}",
            description=ledger_heads.signed(entry),
            unique_id=f"urn:sha256:{entry.hash}",
            pubdate=entry.published_at,
            updateddate=entry.published_at,
            author_name="Talon",
        )
    return HttpResponse(feed.writeString("utf-8"), content_type="application/atom+xml; charset=utf-8")


@require_safe
def key(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """Return the public key of the signatures on heads, as PEM."""
    found = ledger_heads.public_key()
    if found is None:
        raise Http404
    return HttpResponse(found, content_type="application/x-pem-file")
