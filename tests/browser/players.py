"""Fill a site with everything its pages need: several kinds of players, games, keys, links of mails."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import accumulate
from random import Random
from typing import Any

from allauth.account.forms import default_token_generator
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from allauth.mfa.webauthn.internal.auth import WebAuthn
from allauth.usersessions.models import UserSession
from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from fido2.cose import ES256
from fido2.utils import websafe_encode
from fido2.webauthn import Aaguid, AttestationObject, AttestedCredentialData, AuthenticatorData, CollectedClientData

from accounts.models import Follow, User
from accounts.profile import invitations
from games.appeals import appeals, reports
from games.attempts.lifecycle import deal_table, start_attempt
from games.core.verdict_reasons import reason
from games.explorer import building
from games.ghosts import challenges
from games.models import Attempt, Deal, PracticeOrder
from games.puzzles import daily, reviews, tries
from games.puzzles.models import PuzzleRun, StoredPuzzle
from games.puzzles.puzzle import Puzzle
from games.puzzles.runs import puzzle_runs
from games.races import rooms, seats
from games.races.models import Entrant, Race, Room
from games.rules import End, Record, replay
from games.solver.simulated_players import greedy_game
from leaderboards.ratings import folding
from leaderboards.verdicts.settlement import settle
from tests.games.races import finished_races, storms
from tests.leaderboards import raced

PASSWORD = "nine of wands and a cup"
BROWSER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


def inhabit() -> dict[str, Any]:
    """Create everything; return the visitors' cookies under `cookies` and the address parameters under `parts`."""
    member = User.objects.create_user(username="Ariadne", password=PASSWORD, email="ariadne@example.org")
    EmailAddress.objects.create(user=member, email=member.email, verified=True, primary=True)
    waiting = EmailAddress.objects.create(user=member, email="naxos@example.org", verified=False)
    guarded = User.objects.create_user(username="Icarus, son of Daedalus", password=PASSWORD)
    key = _protect(guarded)
    plain = User.objects.create_user(username="Theseus", password=PASSWORD)
    keyless = User.objects.create_user(username="Phaedra")
    Follow.objects.create(follower=member, followed=guarded)
    old = Deal.objects.get(solution__isnull=False, day__isnull=False)
    today = Deal.objects.filter(solution__isnull=True, variant="stonewall").earliest("day")
    finished = _finished(member, old)
    assert settle(finished.pk) is not None
    building.expire(Deal.objects.filter(pk=old.pk))
    building.build_due()
    sent = challenges.challenge(member, Attempt.objects.select_related("deal").get(pk=finished.pk), to=guarded.username)
    _answered(sent, guarded)
    doubted, appealed = _doubted(guarded, old), _doubted(plain, old)
    _appealed(appealed, plain, staff=member)
    _reported(finished, plain, staff=member)
    _looking(member)
    room, race = _raced(member, guarded, keyless)
    finished_races.heat(timezone.now().date(), 3, {member: 3, guarded: 1}, division=9)
    puzzle_room = storms.counting_room(keyless, User.objects.create_user("Daedalus"))
    puzzled = storms.finished_room(member, guarded)
    _rated(member, guarded)
    puzzle = daily.puzzle_of(timezone.now().date())
    ended = {"begun_at": timezone.now() - puzzle_runs.DURATION, "solved": 12, "missed": [puzzle.pk]}
    runs: dict[str, PuzzleRun] = {}
    for kind in ("storm", "streak"):
        finished_run = puzzle_runs.begin(member.pk, kind)
        puzzle_runs.show(finished_run.pk)
        PuzzleRun.objects.filter(pk=finished_run.pk).update(**ended)
        runs |= {kind: puzzle_runs.begin(member.pk, kind), f"finished {kind}": finished_run}
    for ago, one in enumerate(StoredPuzzle.objects.exclude(pk=puzzle.pk)[:2]):  # one is due tomorrow, and one today
        wrong, missed_on = next(iter(one.contents["losses"][0])), timezone.now().date() - timedelta(days=ago)
        reviews.miss(member.pk, one.pk, 0, wrong, missed_on)
    _puzzled(member)
    token = default_token_generator.make_token(member)
    return {
        "cookies": {
            "member": _cookie(member, confirmed=True),
            "guarded": _cookie(guarded, confirmed=True),
            "plain": _cookie(plain, confirmed=True),
            "keyless": _cookie(keyless),
            "unconfirmed": _cookie(member),
            "unconfirmed guarded": _cookie(guarded),
            "half-way": _half_way(guarded),
        },
        "parts": {
            "today": str(today.day),
            "past": str(old.day),
            "month": str(today.day)[:7],
            "year": str(today.day)[:4],
            "finished": str(finished.public_id),
            "doubted": str(doubted.public_id),
            "appealed": str(appealed.public_id),
            "puzzle": str(puzzle.pk),
            **{name: str(run.public_id) for name, run in runs.items()},
            "named deal": "name=stonewall&number=4711",
            "running": str(_running(member, today).public_id),
            "member": str(member.public_id),
            "guarded": str(guarded.public_id),
            "key": key,
            "compared": f"name=ic&compare={member.public_id}",
            "invitation": invitations.token_of(member),
            "confirmation": EmailConfirmationHMAC(waiting).key,
            "reset": f"{user_pk_to_url_str(member)}-{token}",
            "deal": today.pk,
            "old deal": old.pk,
            "code": sent.code,
            "room": room,
            "race": race,
            "puzzle room": puzzle_room.code,
            "puzzle race": puzzled.code,
            "together": f"game={finished.public_id}&game={sent.answers.get().attempt.public_id}",
        },
    }


def _puzzled(player: Any) -> None:
    """Let a player solve puzzles, for the rating, its chart and the themes on the profile."""
    now = timezone.now()
    for stored in StoredPuzzle.objects.exclude(days__day=now.date()).order_by("pk")[:9]:
        solution = Puzzle.from_json(stored.contents)
        for turn, n in enumerate(solution.turns):
            tries.play(player.pk, stored, turn, solution.line[n], now)


def _rated(*players: Any) -> None:
    """Create rated races of players on each of the last days, for the board and the profile charts."""
    now = timezone.now()
    for days in range(14, 0, -1):
        raced.race(players if days % 3 else players[::-1], at=now - timedelta(days=days))
    folding.rate_finished()


def _protect(user: Any) -> int:
    """Give a player an authenticator app, recovery codes and a passkey; return the passkey's key."""
    TOTP.activate(user, SECRET)
    RecoveryCodes.activate(user)
    public = ES256.from_cryptography_key(ec.generate_private_key(ec.SECP256R1()).public_key())  # type: ignore[no-untyped-call]
    data = AttestedCredentialData.create(Aaguid.NONE, b"passkey of Icarus", public)
    flags = AuthenticatorData.FLAG.UP | AuthenticatorData.FLAG.UV | AuthenticatorData.FLAG.AT
    attestation = AttestationObject.create("none", AuthenticatorData.create(bytes(32), flags, 0, data), {})
    client = CollectedClientData.create("webauthn.create", b"challenge", "http://127.0.0.1")
    credential = {
        "id": websafe_encode(b"passkey of Icarus"),
        "rawId": websafe_encode(b"passkey of Icarus"),
        "type": "public-key",
        "response": {"clientDataJSON": websafe_encode(client), "attestationObject": websafe_encode(attestation)},
        "clientExtensionResults": {},
    }
    return int(WebAuthn.add(user, "A key of wax", credential).instance.pk)


def _finished(player: Any, deal: Any) -> Any:
    """Create a won game of a past deal, played while it was open."""
    line = Record.from_bytes(bytes(deal.solution))
    # A plausible human pace; a certified line is too even.
    clock = tuple(accumulate(600 + 160 * (n * n % 13) for n in range(len(line.tokens))))
    record = replace(line, clock=clock, end=End("won", clock[-1]))
    return Attempt.objects.create(
        player=player,
        deal=deal,
        ranked=True,
        state=Attempt.State.PENDING,
        started_at=deal.opens_at,
        finished_at=deal.opens_at + timedelta(milliseconds=record.end.ms),
        end=Attempt.End.WON,
        record=record.to_bytes(),
    )


def _answered(sent: Any, player: Any) -> None:
    """Create a challenge answered with a game a second slower."""
    attempt = challenges.answer(sent, player)
    record = Record.from_bytes(bytes(sent.attempt.record))
    end = record.end.ms + 1000
    slower = replace(record, clock=(*record.clock[:-1], end), end=End("won", end))
    Attempt.objects.filter(pk=attempt.pk).update(
        state=Attempt.State.PENDING,
        finished_at=attempt.started_at + timedelta(milliseconds=end),
        end=Attempt.End.WON,
        record=slower.to_bytes(),
    )
    assert settle(attempt.pk) == Attempt.State.VERIFIED


def _doubted(player: Any, deal: Any) -> Any:
    """Create a game under review."""
    attempt = _finished(player, deal)
    Attempt.objects.filter(pk=attempt.pk).update(
        state=Attempt.State.REVIEW,
        reasons=[reason("pace", "9 ms"), reason("copied_line", "?")],
        verified_at=timezone.now(),
    )
    return Attempt.objects.select_related("deal").get(pk=attempt.pk)


def _appealed(attempt: Any, player: Any, *, staff: Any) -> None:
    """Create an appeal that was dismissed."""
    filed = appeals.appeal(attempt, player, "I know this game by heart.\n\nAnd I play by keyboard.")
    appeals.answer_appeal(filed, staff, "We have looked at it closely.", Attempt.State.REJECTED)


def _reported(attempt: Any, player: Any, *, staff: Any) -> None:
    """Create an answered report."""
    attempt = Attempt.objects.select_related("deal", "player").get(pk=attempt.pk)
    filed = reports.report(attempt, player, "speed", "The end is very quick.")
    reports.answer_report(filed, staff, action_taken=False)


def _looking(player: Any) -> None:
    """Create a practice order whose search has not ended."""
    later = timezone.now() + timedelta(days=1)
    PracticeOrder.objects.create(player=player, variant="stonewall", game="stonewall", grade=2, made_at=later)


def _running(player: Any, deal: Any) -> Any:
    return start_attempt(player, deal)


def _raced(*players: Any) -> tuple[str, str]:
    """Return the codes of a room with a seated player, and of a finished, rated, public quick match."""
    host, *others = players
    begun = timezone.now() - timedelta(hours=1)
    quick = rooms.open_room(None, "plot", limit_s=600, seats=8, kind=Room.Kind.QUICK, now=begun)
    race = Race.objects.select_related("deal").get(room=quick)
    assert race.deal is not None
    greedy_game(table := deal_table(race.deal), Random("a race"))
    for place, player in enumerate(players, 1):
        tokens = table.moves[: -20 * place]
        clock = tuple(1500 * n for n in range(1, len(tokens) + 1))
        record = Record(
            race.deal.rules_version, "plot", None, bytes(race.deal.seed), tokens, clock, End("resigned", clock[-1])
        )
        attempt = Attempt.objects.create(
            player=player,
            deal=race.deal,
            ranked=False,
            state=Attempt.State.VERIFIED,
            started_at=begun,
            finished_at=begun + timedelta(milliseconds=clock[-1]),
            end=Attempt.End.RESIGNED,
            cards_up=replay(record).cards_up,
            elapsed_ms=clock[-1],
            tokens=len(tokens),
            record=record.to_bytes(),
        )
        fields = {"cards_up": attempt.cards_up, "elapsed_ms": attempt.elapsed_ms, "tokens": attempt.tokens}
        Entrant.objects.create(
            race=race, player=player, attempt=attempt, state="retired", joined_at=begun, place=place, **fields
        )
    ends = {"starts_at": begun, "ends_at": begun + timedelta(minutes=10), "finished_at": begun + timedelta(minutes=4)}
    Race.objects.filter(pk=race.pk).update(state=Race.State.FINISHED, **ends)
    type(race.deal).objects.filter(pk=race.deal.pk).update(revealed_at=begun + timedelta(minutes=4))
    folding.rate_finished()
    room = rooms.open_room(host, "stonewall", public=True, limit_s=900, seats=8)
    seats.sit(room.pk, host)
    seats.sit(room.pk, others[0])
    return room.code, quick.code


def _cookie(user: Any, *, confirmed: bool = False) -> str:
    """Return the cookie of a signed-in player, with `confirmed` one who has just confirmed the password."""
    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(user, settings.AUTHENTICATION_BACKENDS[-1])
    if confirmed:
        client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    key = str(client.cookies[settings.SESSION_COOKIE_NAME].value)
    UserSession.objects.create(user=user, session_key=key, ip="2001:db8:85a3::8a2e:370:7334", user_agent=BROWSER)
    return key


def _half_way(user: Any) -> str:
    """Return the cookie of a player who has given the password, but not the second factor."""
    client = Client(headers={"host": "127.0.0.1"})
    answer = client.post(reverse("account_login"), {"login": user.username, "password": PASSWORD})
    assert answer["Location"] == reverse("mfa_authenticate"), answer
    return str(client.cookies[settings.SESSION_COOKIE_NAME].value)
