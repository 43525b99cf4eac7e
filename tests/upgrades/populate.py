"""Program that fills a migrated site of an earlier commit with everything its pages need, using that commit's own code.

Run in the folder of the commit's files: it reads seeds of deals as JSON from standard input.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import django

sys.path.insert(0, str(Path.cwd()))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.utils import timezone

from accounts.models import Ban, User
from games.deals import ledger
from games.models import Attempt, Deal, Move
from games.rules import CATALOGUE, End, Record, open_table


def _module(*names: str) -> Any:
    """Import the one of these modules that the commit has."""
    return import_module(next(name for name in names if Path(name.replace(".", "/")).with_suffix(".py").exists()))


players = _module("tests.browser.players", "tests.browser.inhabitants")
verdicts = _module("leaderboards.verdicts.settlement", "leaderboards.settlement")


def make_deal(name: str, seed: bytes, opens: datetime, **proof: Any) -> Deal:
    """Create a daily deal. No two have the same commitment, even if their cards are the same."""
    variant, mark = CATALOGUE[name], hashlib.sha256(seed + str(opens.date()).encode()).hexdigest()
    times = {"day": opens.date(), "opens_at": opens, "closes_at": opens + timedelta(days=1)}
    cards = {"variant": name, "game": variant.game, "options": dict(variant.options), "rules_version": 1, "seed": seed}
    return Deal.objects.create(commitment=mark, **cards, **times, **proof)


def rank(deal: Deal, won: Record) -> None:
    """Rank five players who resigned at different points of the winning line."""
    for n in range(1, 6):
        tokens = won.tokens[: n * len(won.tokens) // 6]
        clock = tuple(700 * move + 90 * (n * move * move % 7) for move in range(1, len(tokens) + 1))
        record = replace(won, tokens=tokens, clock=clock, end=End("resigned", clock[-1]))
        times = {"started_at": deal.opens_at, "finished_at": deal.opens_at + timedelta(milliseconds=clock[-1])}
        resigned = Attempt.objects.create(
            player=User.objects.create_user(f"Muse {n}"), deal=deal, ranked=True, state="pending", end="resigned",
            record=record.to_bytes(), **times,
        )  # fmt: skip
        assert verdicts.settle(resigned.pk) == "verified"


def play_on(attempt: Attempt) -> None:
    """Play three moves of a running game."""
    table = open_table(attempt.deal.variant, bytes(attempt.deal.seed))
    for n in range(1, 4):
        token = table.legal_moves()[0]
        table.push(token)
        Move.objects.create(attempt=attempt, n=n, token=token, ms=900 * n)


def main() -> None:
    """Create deals, players and games, and ban one player."""
    given, today = json.load(sys.stdin), datetime.combine(timezone.now().date(), time(), UTC)
    for name, seed in given["seeds"].items():
        for days in (0, 1):
            make_deal(name, bytes.fromhex(seed), today + timedelta(days=days))
    won, opened = Record.from_json(given["won"]), today - timedelta(days=300)
    proof = {"proven": True, "grade": 2, "par": len(won.tokens), "solution": won.to_bytes()}
    old = make_deal("labyrinth", won.seed, opened, **proof)
    ledger.append(old, opened - timedelta(days=2))
    players.inhabit()
    rank(old, won)
    play_on(Attempt.objects.select_related("deal").filter(state="playing").latest("pk"))
    banned, until = User.objects.get(username="Theseus"), today + timedelta(days=30)
    Ban.objects.create(player=banned, why="unfair", until=until, made_at=timezone.now())
    User.objects.filter(pk=banned.pk).update(banned_at=timezone.now())


if __name__ == "__main__":
    main()
