"""Signing in with Google, GitHub or Discord. What they would answer over HTTP is told here; all the rest is real."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
import requests
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.deletion import erase_player
from accounts.export import _account
from accounts.guests import create_guest
from accounts.held_names import HELD
from accounts.models import User
from accounts.moderation import ban_player
from accounts.providers import ServicesAdapter
from games import limits
from games.models import Attempt
from leaderboards.models import Result
from tests.accounts.conftest import PASSWORD, MakeAttempt, MakeDeal, MakeUser, SignIn

pytestmark = pytest.mark.django_db

SERVICES = ("google", "github", "discord")
SIGN_IN, SIGN_UP = reverse("account_login"), reverse("account_signup")
NAME_FORM = reverse("socialaccount_signup")
CONNECTIONS = reverse("socialaccount_connections")
AGAIN = reverse("players:sign_in_again")


@dataclass
class Elsewhere:
    """What the services know of the one who signs in, and what they were asked."""

    uid: str = "4711"
    email: str = "ada@example.org"
    verified: bool = True
    login: str = "ada-l"
    asked: list[tuple[str, Any]] = field(default_factory=list)
    fails: bool = False
    claims: dict[str, Any] = field(default_factory=dict)

    def answer(self, _method: str, url: str, **sent: Any) -> requests.Response:
        self.asked.append((url, sent))
        if self.fails:
            raise requests.ConnectionError("no line")
        answer = requests.Response()
        answer.status_code = 200
        answer.headers["content-type"] = "application/json"
        answer._content = json.dumps(self._told(*urlsplit(url)[1:3])).encode()
        return answer

    def _told(self, host: str, path: str) -> Any:
        if path.endswith(("/token", "/access_token")):
            token = {"access_token": "a token", "token_type": "bearer"}
            is_google = host == "oauth2.googleapis.com"
            return token | ({"id_token": jwt.encode(self._identity(), "k" * 32)} if is_google else {})
        if path.endswith("/user/emails"):
            return [{"email": self.email, "primary": True, "verified": self.verified}]
        if path.endswith("/user"):
            return {"id": int(self.uid), "login": self.login, "name": "Ada King", "email": self.email}
        assert path.endswith("/users/@me"), path
        return {"id": self.uid, "username": self.login, "email": self.email, "verified": self.verified}

    def _identity(self) -> dict[str, Any]:
        """Google tells who it is with the token."""
        told = {"iss": "https://accounts.google.com", "aud": "google id", "exp": int(time.time()) + 3600}
        facts = {"name": "Ada King", "given_name": "Ada", "picture": "https://x.example/a.png"}
        known = {"sub": self.uid, "email": self.email, "email_verified": self.verified}
        return {**told, **known, **facts, **self.claims}


@pytest.fixture
def keys(settings: Any) -> None:
    settings.SOCIALACCOUNT_PROVIDERS = {
        name: {"APPS": [{"client_id": f"{name} id", "secret": f"{name} secret"}], "OAUTH_PKCE_ENABLED": True}
        for name in SERVICES
    }


@pytest.fixture
def elsewhere(keys: None, monkeypatch: pytest.MonkeyPatch) -> Elsewhere:
    told = Elsewhere()

    def session(_adapter: ServicesAdapter) -> requests.Session:
        made = requests.Session()
        made.request = told.answer  # type: ignore[method-assign, assignment]
        return made

    monkeypatch.setattr(ServicesAdapter, "get_requests_session", session)
    return told


def leave(client: Client, service: str = "github", **form: str) -> str:
    """Leave for a service; returns the state to come back with."""
    answer = client.post(reverse(f"{service}_login"), {"process": "login", **form})
    assert answer.status_code == 302
    (state,) = parse_qs(urlsplit(answer.headers["Location"]).query)["state"]
    return state


def come_back(client: Client, service: str = "github", **query: str) -> Any:
    return client.get(reverse(f"{service}_callback"), {"code": "a code", **query})


def sign_in_by(client: Client, service: str = "github", **form: str) -> Any:
    return come_back(client, service, state=leave(client, service, **form))


def player_in(client: Client) -> User | None:
    return User.objects.filter(pk=client.session.get("_auth_user_id", 0)).first()


def connected(player: User, service: str = "github", uid: str = "4711") -> SocialAccount:
    return SocialAccount.objects.create(user=player, provider=service, uid=uid)


def test_without_keys_there_is_no_button_and_no_address(client: Client, user: User, sign_in: SignIn) -> None:
    for page in (client.get(SIGN_IN), client.get(SIGN_UP)):
        assert "Google" not in page.content.decode()
        assert "form-action 'self'" in page["Content-Security-Policy"].split("; ")  # in any order
    assert CONNECTIONS not in sign_in(user).get(reverse("players:settings")).content.decode()
    for visitor in (client, sign_in(user)):
        for service in SERVICES:
            for name in ("login", "callback"):
                assert visitor.get(reverse(f"{service}_{name}")).status_code == 404
                assert visitor.post(reverse(f"{service}_{name}")).status_code == 404
        for name in ("signup", "login_cancelled", "login_error", "connections"):
            assert visitor.get(reverse(f"socialaccount_{name}")).status_code < 500
    assert client.get("/accounts/google/login/token/").status_code == 404


def test_a_connection_outlives_the_keys_and_can_be_ended(user: User, sign_in: SignIn) -> None:
    connection = connected(user)
    client = sign_in(user)
    assert CONNECTIONS in client.get(reverse("players:settings")).content.decode()
    assert "GitHub" in client.get(CONNECTIONS).content.decode()
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    assert client.post(CONNECTIONS, {"account": connection.pk}).status_code == 302
    assert not SocialAccount.objects.exists()


@pytest.mark.parametrize("service", SERVICES)
def test_with_keys_there_is_a_button_that_leaves_for_the_service(client: Client, keys: None, service: str) -> None:
    address = reverse(f"{service}_login")
    assert f'action="{address}"' in client.get(SIGN_IN).content.decode()
    assert f'action="{address}"' in client.get(SIGN_UP).content.decode()
    assert client.get(address).status_code == 200, "by a link one is asked first"
    answer = client.post(address, {"process": "login"})
    asked = urlsplit(answer.headers["Location"])
    origin = {"google": "accounts.google.com", "github": "github.com", "discord": "discord.com"}[service]
    assert (asked.scheme, asked.netloc) == ("https", origin)
    query = parse_qs(asked.query)
    assert query["client_id"] == [f"{service} id"]
    assert query["redirect_uri"] == [f"http://testserver{reverse(f'{service}_callback')}"]
    assert query["code_challenge_method"] == ["S256"]
    assert "secret" not in answer.headers["Location"]


def test_an_address_leaves_and_comes_back_so_often_and_no_more(
    client: Client, elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(limits.RATES, "service", "2/10m")
    state = leave(client)
    assert come_back(client, state="x").status_code == 401
    assert come_back(client, state=state).status_code == 429
    assert elsewhere.asked == []


def test_leaving_is_guarded_against_forgery(keys: None) -> None:
    assert Client(enforce_csrf_checks=True).post(reverse("github_login")).status_code == 403


@pytest.mark.parametrize("service", SERVICES)
def test_a_newcomer_chooses_a_name_and_has_an_account(client: Client, elsewhere: Elsewhere, service: str) -> None:
    assert sign_in_by(client, service).headers["Location"] == NAME_FORM
    form = client.get(NAME_FORM).context["form"]
    # A name that one goes by elsewhere is proposed, a real name never.
    assert form.initial["username"] == ("" if service == "google" else "ada-l")
    assert list(form.fields) == ["username"]
    assert not User.objects.exists()
    client.post(NAME_FORM, {"username": "Ada Lovelace"})
    ada = player_in(client)
    assert ada is not None
    assert (ada.username, ada.display_name, ada.name_key) == ("Ada Lovelace", "Ada Lovelace", "adalovelace")
    assert (ada.is_guest, ada.has_usable_password(), ada.email) == (False, False, "ada@example.org")
    assert EmailAddress.objects.get(user=ada).verified
    assert mail.outbox == []


def test_of_what_the_service_tells_the_number_is_kept(client: Client, elsewhere: Elsewhere) -> None:
    for _ in range(2):
        sign_in_by(client)
        client.post(NAME_FORM, {"username": "Ada Lovelace"})
        kept = SocialAccount.objects.get()
        assert (kept.provider, kept.uid, kept.extra_data) == ("github", "4711", {})
        client.post(reverse("account_logout"))
    assert not SocialToken.objects.exists()


@pytest.mark.parametrize("service", SERVICES)
def test_what_waits_in_the_session_has_no_token(
    client: Client, elsewhere: Elsewhere, user: User, sign_in: SignIn, service: str
) -> None:
    sign_in_by(client, service)
    connecting = sign_in(user)
    sign_in_by(connecting, service, process="connect")
    for browser in (client, connecting):
        kept = json.dumps(dict(browser.session.items()))
        assert '"uid": "4711"' in kept
        for secret in ("a token", "id_token", "Ada King", "x.example"):
            assert secret not in kept


def grow_old(client: Client, seconds: float) -> None:
    """Let the time since the service has told who it is be so much longer."""
    session = client.session
    session["socialaccount_sociallogin"]["state"]["told_at"] -= seconds
    session.save()


def test_the_name_may_be_chosen_for_a_quarter_of_an_hour(client: Client, elsewhere: Elsewhere) -> None:
    sign_in_by(client)
    grow_old(client, 14 * 60)
    client.post(NAME_FORM, {"username": "Ada Lovelace"})
    assert player_in(client) is not None


@pytest.mark.parametrize("method", ["get", "post"])
def test_whoever_comes_later_does_not_finish_it(client: Client, elsewhere: Elsewhere, method: str) -> None:
    sign_in_by(client)
    grow_old(client, 15 * 60)
    answer = getattr(client, method)(NAME_FORM, {"username": "Ada Lovelace"})
    assert answer.headers["Location"] == SIGN_IN
    assert "Too much time has passed" in client.get(SIGN_IN).content.decode()
    assert "socialaccount_sociallogin" not in client.session
    assert not User.objects.exists()
    assert sign_in_by(client).headers["Location"] == NAME_FORM, "one may begin anew"


@pytest.mark.parametrize("claims", [{"iss": "https://evil.example"}, {"aud": "another site"}, {"exp": 1}])
def test_what_google_did_not_say_to_this_site_now_is_not_believed(
    client: Client, elsewhere: Elsewhere, user: User, claims: dict[str, Any]
) -> None:
    connected(user, "google")
    elsewhere.claims = claims
    assert sign_in_by(client, "google").status_code == 401
    assert player_in(client) is None
    elsewhere.claims = {}
    sign_in_by(client, "google")
    assert player_in(client) == user


def test_who_has_an_account_is_signed_in(client: Client, elsewhere: Elsewhere, user: User) -> None:
    connected(user)
    answer = sign_in_by(client, next="/players/me/")
    assert (answer.headers["Location"], player_in(client)) == ("/players/me/", user)


def test_it_leads_back_but_not_off_the_site(client: Client, elsewhere: Elsewhere, user: User) -> None:
    connected(user)
    assert sign_in_by(client, next="https://evil.example/").headers["Location"] == "/"


def test_an_address_that_is_not_confirmed_there_is_not_taken_over(client: Client, elsewhere: Elsewhere) -> None:
    elsewhere.verified = False
    sign_in_by(client)
    client.post(NAME_FORM, {"username": "Ada Lovelace"})
    ada = player_in(client)
    assert ada is not None
    assert ada.email == ""
    assert not EmailAddress.objects.exists()


@pytest.mark.parametrize("confirmed_here", [True, False])
@pytest.mark.parametrize("confirmed_there", [True, False])
def test_an_address_opens_nobodys_account(
    client: Client, elsewhere: Elsewhere, make_user: MakeUser, confirmed_here: bool, confirmed_there: bool
) -> None:
    elsewhere.verified = confirmed_there
    owner = make_user("Owner", email="ada@example.org")
    EmailAddress.objects.create(user=owner, email="ada@example.org", verified=confirmed_here, primary=True)
    assert sign_in_by(client).headers["Location"] == NAME_FORM
    assert player_in(client) is None
    told = "There is an account with your e-mail address already" in client.get(NAME_FORM).content.decode()
    assert told == confirmed_there, "only who has the address is told of the account"
    client.post(NAME_FORM, {"username": "Ada Lovelace"})
    ada = player_in(client)
    assert ada is not None
    assert ada != owner
    is_hers = confirmed_there and not confirmed_here  # a claim on her address does not keep her from it
    assert ada.email == ("ada@example.org" if is_hers else "")
    assert EmailAddress.objects.filter(user=owner).exists()
    assert EmailAddress.objects.filter(user=ada, verified=True).exists() == is_hers
    assert not SocialAccount.objects.filter(user=owner).exists()


def refused_name(client: Client, name: str) -> str:
    answer = client.post(NAME_FORM, {"username": name})
    assert answer.status_code == 200
    assert player_in(client) is None
    (error,) = answer.context["form"].errors["username"]
    return str(error)


@pytest.mark.parametrize("name", ["admin", "a", "<script>", "аdа lovelace"])
def test_what_is_no_name_is_refused(client: Client, elsewhere: Elsewhere, name: str) -> None:
    sign_in_by(client)
    refused_name(client, name)
    assert client.post(NAME_FORM, {"username": "Ada Lovelace"}).status_code == 302, "one may try again"


def test_names_that_are_taken_banned_or_held_are_refused(
    client: Client, elsewhere: Elsewhere, make_user: MakeUser, make_deal: MakeDeal, make_attempt: MakeAttempt
) -> None:
    make_user("Ada Lovelace")
    ban_player(make_user("Charles Babbage"))
    gone = make_user("Mary Somerville")
    make_attempt(gone, make_deal("plot", timezone.now().date()))
    erase_player(gone)
    sign_in_by(client)
    assert "much like it" in refused_name(client, "ada lovelace")
    assert "much like it" in refused_name(client, "Charles Babbage")
    assert refused_name(client, "Mary Somerville") == str(HELD)


def test_a_name_that_is_not_allowed_here_is_not_proposed(client: Client, elsewhere: Elsewhere) -> None:
    elsewhere.login = "admin"
    sign_in_by(client)
    assert client.get(NAME_FORM).context["form"].initial["username"] == ""


def test_who_is_banned_is_not_signed_in(client: Client, elsewhere: Elsewhere, user: User) -> None:
    connected(user)
    ban_player(user)
    assert sign_in_by(client).headers["Location"] == reverse("account_inactive")
    assert player_in(client) is None


def test_who_says_no_there_is_told_that_it_is_fine(client: Client, elsewhere: Elsewhere) -> None:
    state = leave(client)
    answer = client.get(reverse("github_callback"), {"error": "access_denied", "state": state})
    assert answer.headers["Location"] == reverse("socialaccount_login_cancelled")
    assert "That is fine" in client.get(answer.headers["Location"]).content.decode()
    assert elsewhere.asked == []


def test_another_state_than_ones_own_is_refused(client: Client, elsewhere: Elsewhere, user: User) -> None:
    connected(user)
    state = leave(client)
    for browser, query in ((Client(), {"state": state}), (client, {"state": "x"}), (client, {})):
        answer = come_back(browser, **query)
        assert answer.status_code == 401
        assert "Not signed in" in answer.content.decode()
        assert player_in(browser) is None
    assert elsewhere.asked == []
    assert come_back(client, state=state).status_code == 302
    assert come_back(client, state=state).status_code == 401, "a state is good for once"


def test_a_service_that_does_not_answer_is_no_fault_of_ours(client: Client, elsewhere: Elsewhere) -> None:
    elsewhere.fails = True
    answer = sign_in_by(client)
    assert answer.status_code == 401
    assert "please try again" in answer.content.decode()


def test_a_guest_who_is_new_keeps_the_games_ranked(
    elsewhere: Elsewhere, sign_in: SignIn, make_deal: MakeDeal, make_attempt: MakeAttempt
) -> None:
    guest = create_guest()
    make_attempt(guest, make_deal("plot", timezone.now().date()), won=True)
    client = sign_in(guest)
    sign_in_by(client)
    assert "You are playing as the guest" in client.get(NAME_FORM).content.decode()
    assert User.objects.get(pk=guest.pk).is_guest
    client.post(NAME_FORM, {"username": "Ada Lovelace"})
    ada = player_in(client)
    assert ada is not None
    assert (ada.pk, ada.is_guest, ada.display_name) == (guest.pk, False, "Ada Lovelace")
    assert Attempt.objects.get(player=ada).ranked
    assert Result.objects.get(player=ada).listed, "the results go on the boards"
    assert SocialAccount.objects.get().user == ada


def test_of_two_who_connect_the_same_at_once_one_does(
    elsewhere: Elsewhere, guest: User, make_user: MakeUser, sign_in: SignIn
) -> None:
    client = sign_in(guest)
    sign_in_by(client)
    first = connected(make_user())
    answer = client.post(NAME_FORM, {"username": "Ada Lovelace"}, follow=True)
    assert "already connected to another player" in answer.content.decode()
    assert SocialAccount.objects.get() == first
    assert not User.objects.filter(username="Ada Lovelace").exists()
    assert User.objects.get(pk=guest.pk).is_guest


def test_a_guest_who_has_an_account_brings_the_games_as_practice(
    elsewhere: Elsewhere, user: User, sign_in: SignIn, make_deal: MakeDeal, make_attempt: MakeAttempt
) -> None:
    connected(user)
    guest = create_guest()
    make_attempt(guest, make_deal("plot", timezone.now().date()), won=True)
    client = sign_in(guest)
    sign_in_by(client)
    assert player_in(client) == user
    assert not Attempt.objects.get(player=user).ranked
    assert not User.objects.filter(pk=guest.pk).exists()
    assert not Result.objects.exists()


def test_an_account_is_connected_after_the_password_and_disconnected_again(
    elsewhere: Elsewhere, user: User, sign_in: SignIn
) -> None:
    client = sign_in(user)
    assert CONNECTIONS in client.get(reverse("players:settings")).content.decode()
    asked = sign_in_by(client, process="connect")
    assert asked.headers["Location"].startswith(reverse("account_reauthenticate"))
    assert not SocialAccount.objects.exists()
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    connection = SocialAccount.objects.get()
    assert (connection.user, connection.extra_data) == (user, {})
    assert "GitHub" in client.get(CONNECTIONS).content.decode()
    assert not EmailAddress.objects.exists()
    client.post(CONNECTIONS, {"account": connection.pk})
    assert not SocialAccount.objects.exists()


def test_somebody_elses_is_neither_connected_nor_ended(
    elsewhere: Elsewhere, user: User, make_user: MakeUser, sign_in: SignIn
) -> None:
    theirs = connected(make_user())
    client = sign_in(user)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    sign_in_by(client, process="connect")
    assert "already connected to a different account" in client.get(CONNECTIONS).content.decode()
    assert client.post(CONNECTIONS, {"account": theirs.pk}).status_code == 200
    assert SocialAccount.objects.get() == theirs


def test_the_last_way_in_stays(elsewhere: Elsewhere, client: Client) -> None:
    sign_in_by(client)
    client.post(NAME_FORM, {"username": "Ada Lovelace"})
    answer = client.post(CONNECTIONS, {"account": SocialAccount.objects.get().pk})
    assert "nothing else lets you in" in answer.content.decode()
    assert SocialAccount.objects.exists()


def test_guests_have_nothing_to_connect(elsewhere: Elsewhere, guest: User, sign_in: SignIn) -> None:
    assert sign_in(guest).get(CONNECTIONS).headers["Location"].startswith(SIGN_IN)


def test_without_a_password_one_can_still_take_the_data_and_leave(elsewhere: Elsewhere, client: Client) -> None:
    sign_in_by(client)
    client.post(NAME_FORM, {"username": "Ada Lovelace"})
    ada = player_in(client)
    assert ada is not None
    (told,) = _account(ada)["sign_in_by"]
    assert (told["provider"], told["uid"]) == ("github", "4711")
    assert client.get(reverse("players:download")).status_code == 200
    client.post(reverse("players:delete"), {"name": "Ada Lovelace"})
    ada.refresh_from_db()
    assert ada.is_former
    assert not SocialAccount.objects.exists()
    assert sign_in_by(client).headers["Location"] == NAME_FORM, "the connection has gone with the account"


ADDRESS = {"action_add": "", "email": "new@example.org"}
SENSITIVE = [
    ("get", "players:download", {}),
    ("get", "mfa_activate_totp", {}),
    ("get", "mfa_add_webauthn", {}),
    ("post", "account_email", ADDRESS),
    ("post", "account_set_password", {"password1": PASSWORD, "password2": PASSWORD}),
    ("post", "players:delete", {"name": "Ada Lovelace"}),
]


@pytest.fixture
def keyless(user: User, elsewhere: Elsewhere) -> User:
    """Somebody who can only sign in by GitHub."""
    connected(user)
    user.set_unusable_password()
    user.save()
    return user


def signed_in_long_ago(client: Client) -> None:
    """Signs in by the service, and lets an hour pass."""
    sign_in_by(client)
    session = client.session
    for record in session["account_authentication_methods"]:
        record["at"] -= 3600
    session.save()


@pytest.mark.parametrize(("method", "name", "form"), SENSITIVE)
def test_a_sensitive_change_asks_who_has_only_a_service_to_sign_in_there_again(
    client: Client, keyless: User, method: str, name: str, form: dict[str, str]
) -> None:
    signed_in_long_ago(client)
    asked = getattr(client, method)(reverse(name), form)
    assert urlsplit(asked.headers["Location"]).path == AGAIN
    page = client.get(asked.headers["Location"]).content.decode()
    assert f'action="{reverse("github_login")}"' in page
    assert f'action="{reverse("google_login")}"' not in page, "only what is connected opens the account"
    keyless.refresh_from_db()
    assert (keyless.is_former, keyless.has_usable_password(), EmailAddress.objects.count()) == (False, False, 0)


def test_after_the_sign_in_the_change_goes_on(client: Client, keyless: User) -> None:
    signed_in_long_ago(client)
    asked = client.post(reverse("players:delete"), {"name": "Ada Lovelace"})
    (back,) = parse_qs(urlsplit(asked.headers["Location"]).query)["next"]
    sign_in_by(client, process="again", next=back)
    keyless.refresh_from_db()
    assert keyless.is_former


def test_it_is_asked_once_in_a_while(client: Client, keyless: User) -> None:
    signed_in_long_ago(client)
    assert sign_in_by(client, process="again", next="/players/me/data/").headers["Location"] == "/players/me/data/"
    assert client.get(reverse("players:download")).status_code == 200
    assert client.get(reverse("mfa_activate_totp")).status_code == 200
    assert player_in(client) == keyless


def test_another_service_is_connected_after_it(client: Client, keyless: User, elsewhere: Elsewhere) -> None:
    signed_in_long_ago(client)
    elsewhere.uid = "4712"
    asked = sign_in_by(client, "google", process="connect")
    assert client.get(asked.headers["Location"]).headers["Location"].startswith(AGAIN)
    assert SocialAccount.objects.count() == 1
    elsewhere.uid = "4711"
    sign_in_by(client, process="again")
    assert set(SocialAccount.objects.filter(user=keyless).values_list("provider", flat=True)) == {"github", "google"}


def test_somebody_elses_account_there_does_not_do(
    client: Client, keyless: User, elsewhere: Elsewhere, make_user: MakeUser
) -> None:
    connected(make_user(), uid="99")
    signed_in_long_ago(client)
    for uid in ("99", "100"):
        elsewhere.uid = uid
        answer = sign_in_by(client, process="again", next="/players/me/delete/")
        assert answer.headers["Location"].startswith(AGAIN)
        assert "is not the one" in client.get(answer.headers["Location"]).content.decode()
        assert player_in(client) == keyless
        assert client.get(reverse("players:delete")).status_code == 302


def test_who_has_a_password_is_asked_for_that(user: User, sign_in: SignIn, elsewhere: Elsewhere) -> None:
    connected(user)
    client = sign_in(user)
    sign_in_by(client, process="again")
    asked = client.get(reverse("players:delete"))
    assert asked.headers["Location"].startswith(reverse("account_reauthenticate"))
    assert client.get(AGAIN).headers["Location"] == reverse("players:settings")


def test_without_keys_there_is_nothing_to_ask_for(client: Client, keyless: User, settings: Any) -> None:
    signed_in_long_ago(client)
    settings.SOCIALACCOUNT_PROVIDERS = {}
    assert client.get(reverse("players:delete")).status_code == 200


def test_the_privacy_page_tells_of_it(client: Client, keys: None) -> None:
    assert "Google, GitHub or Discord" in client.get(reverse("games:privacy")).content.decode()


def test_the_names_form_takes_a_sign_in_elsewhere(client: Client, keys: None) -> None:
    assert client.get(NAME_FORM).headers["Location"] == SIGN_IN
