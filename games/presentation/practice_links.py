"""Form and link format of practice deals: the game, its options, and a number or a seed.

`name` is a variant, or a game with `option-<name>` fields of JSON values; `number` is a numbered deal's, and `seed` has
64 hexadecimal digits.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from django.conf import settings
from django.urls import reverse
from django.utils.http import urlencode

from games.core.json_body import parse_json
from games.deals import numbered_deals, publishing
from games.models import Attempt, Deal
from games.rules import Variant, read_seed

OPTION_PREFIX: Final = "option-"

Form = Mapping[str, Any]


def variant_in(form: Form) -> Variant:
    """Return the game named by a form.

    :raises ValueError: if there is no such game.
    """
    option_fields = {key: value for key, value in form.items() if key.startswith(OPTION_PREFIX)}
    options = {key.removeprefix(OPTION_PREFIX): parse_json(str(value)) for key, value in option_fields.items()}
    return publishing.variant_of(str(form.get("name", "")), options or None)


def seed_in(form: Form, variant: Variant) -> bytes | None:
    """Return the seed that a form gives by `number` or `seed`, or either in `code`; None without any of them.

    :raises ValueError: if the value is neither.
    """
    text = "".join(str(form.get("number") or form.get("seed") or form.get("code") or "").split())
    if not text:
        return None
    if len(text) <= len(str(numbered_deals.LARGEST)):
        return numbered_deals.seed_of(variant, int(text) if text.isascii() and text.isdigit() else 0)
    return read_seed(text.lower())


def fields_of(variant: Variant) -> dict[str, str]:
    """Return the form fields that name a game."""
    if variant.name:
        return {"name": variant.name}
    options = {f"{OPTION_PREFIX}{name}": json.dumps(value) for name, value in sorted(variant.options.items())}
    return {"name": variant.game, **options}


def fields_again(attempt: Attempt) -> dict[str, str]:
    """Return the form fields for a new deal after a game: winnable if its is, and of its difficulty if one is there."""
    deal = attempt.deal
    fields = fields_of(Variant(deal.variant, deal.game, deal.options)) | {"after": str(attempt.public_id)}
    return fields | ({"deals": "winnable", "again": "1", "grade": str(deal.grade or "")} if deal.proven else {})


def link_to(deal: Deal, player_id: int | None) -> str:
    """Return the player's share link to a practice deal; empty if they may not share it.

    A deal without a number is shared by its seed, which its player may see once the game is over.
    """
    if deal.day is not None or deal.for_race:
        return ""
    number = numbered_deals.number_of(deal)
    if number is not None:
        deal_fields = {"number": str(number)}
    elif publishing.may_see_seed(deal, player_id):
        deal_fields = {"seed": bytes(deal.seed).hex()}
    else:
        return ""
    fields = fields_of(Variant(deal.variant, deal.game, deal.options)) | deal_fields
    return f"{settings.PUBLIC_URL}{reverse('games:practice')}?{urlencode(fields)}"
