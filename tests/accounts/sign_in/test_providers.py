"""Sign-in with Google, GitHub or Discord; only the HTTP answers of the services are simulated."""

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

from accounts.lifecycle.bans import ban_player
from accounts.lifecycle.erasure import erase_player
from accounts.lifecycle.export import _account
from accounts.models import User
from accounts.names.released import HELD
from accounts.sign_in.guests import create_guest
from accounts.sign_in.providers import ServicesAdapter
from games.core import limits
from games.models import Attempt
from leaderboards.models import Result
from tests.accounts.conftest import PASSWORD, MakeAttempt, MakeUser, SignIn, player_in
from tests.factories import make_deal

pytestmark = pytest.mark.django_db

SERVICES = ("google", "github", "discord")
SIGN_IN, SIGN_UP = reverse("account_login"), reverse("account_signup")
NAME_FORM = reverse("socialaccount_signup")
CONNECTIONS = reverse("socialaccount_connections")
AGAIN = reverse("players:sign_in_again")


@dataclass
class Services:
    """The services' data about the person signing in, and the requests they got."""

    uid: str = "4711"
    email: str = "ada@example.org"
    verified: bool = True
    login: str = "ada-l"
    received: list[tuple[str, Any]] = field(default_factory=list)
    fails: bool = False
    claims: dict[str, Any] = field(default_factory=dict)

    def answer(self, _method: str, url: str, **sent: Any) -> requests.Response:
        self.received.append((url, sent))
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
        token = {"iss": "https://accounts.google.com", "aud": "google id", "exp": int(time.time()) + 3600}
        facts = {"name": "Ada King", "given_name": "Ada", "picture": "https://x.example/a.png"}
        known = {"sub": self.uid, "email": self.email, "email_verified": self.verified}
        return {**token, **known, **facts, **self.claims}


@pytest.fixture
def keys(settings: Any) -> None:
    settings.SOCIALACCOUNT_PROVIDERS = {
        name: {"APPS": [{"client_id": f"{name} id", "secret": f"{name} secret"}], "OAUTH_PKCE_ENABLED": True}
        for name in SERVICES
    }


@pytest.fixture
def services(keys: None, monkeypatch: pytest.MonkeyPatch) -> Services:
    services = Services()

    def session(_adapter: ServicesAdapter) -> requests.Session:
        opened = requests.Session()
        opened.request = services.answer  # type: ignore[method-assign, assignment]
        return opened

    monkeypatch.setattr(ServicesAdapter, "get_requests_session", session)
    return services


def leave(client: Client, service: str = "github", **form: str) -> str:
    """Start signing in at a service, and return the state for the callback."""
    answer = client.post(reverse(f"{service}_login"), {"process": "login", **form})
    assert answer.status_code == 302
    (state,) = parse_qs(urlsplit(answer.headers["Location"]).query)["state"]
    return state


def come_back(client: Client, service: str = "github", **query: str) -> Any:
    return client.get(reverse(f"{service}_callback"), {"code": "a code", **query})


def sign_in_by(client: Client, service: str = "github", **form: str) -> Any:
    return come_back(client, service, state=leave(client, service, **form))


def choose_name(client: Client) -> User:
    client.post(NAME_FORM, {"username": "Ada Lovelace"})
    ada = player_in(client)
    assert ada is not None
    return ada


def connected(player: User, service: str = "github", uid: str = "4711") -> SocialAccount:
    return SocialAccount.objects.create(user=player, provider=service, uid=uid)


def test_without_keys_there_are_no_buttons_or_addresses(client: Client, user: User, sign_in: SignIn) -> None:
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


def test_a_connection_survives_the_keys_and_can_be_removed(user: User, trusted: Client) -> None:
    connection = connected(user)
    assert CONNECTIONS in trusted.get(reverse("players:settings")).content.decode()
    assert "GitHub" in trusted.get(CONNECTIONS).content.decode()
    assert trusted.post(CONNECTIONS, {"account": connection.pk}).status_code == 302
    assert not SocialAccount.objects.exists()


@pytest.mark.parametrize("service", SERVICES)
def test_with_keys_a_button_leads_to_the_service(client: Client, keys: None, service: str) -> None:
    address = reverse(f"{service}_login")
    assert f'action="{address}"' in client.get(SIGN_IN).content.decode()
    assert f'action="{address}"' in client.get(SIGN_UP).content.decode()
    assert client.get(address).status_code == 200, "following a link asks for confirmation"
    answer = client.post(address, {"process": "login"})
    target = urlsplit(answer.headers["Location"])
    origin = {"google": "accounts.google.com", "github": "github.com", "discord": "discord.com"}[service]
    assert (target.scheme, target.netloc) == ("https", origin)
    query = parse_qs(target.query)
    assert query["client_id"] == [f"{service} id"]
    assert query["redirect_uri"] == [f"http://testserver{reverse(f'{service}_callback')}"]
    assert query["code_challenge_method"] == ["S256"]
    assert "secret" not in answer.headers["Location"]


def test_redirects_and_callbacks_are_rate_limited(
    client: Client, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(limits.RATES, "service", "2/10m")
    state = leave(client)
    assert come_back(client, state="x").status_code == 401
    assert come_back(client, state=state).status_code == 429
    assert services.received == []


@pytest.mark.parametrize("service", SERVICES)
def test_a_newcomer_chooses_a_name_and_gets_an_account(client: Client, services: Services, service: str) -> None:
    assert sign_in_by(client, service).headers["Location"] == NAME_FORM
    form = client.get(NAME_FORM).context["form"]
    # A nickname is suggested, a real name never.
    assert form.initial["username"] == ("" if service == "google" else "ada-l")
    assert list(form.fields) == ["username"]
    assert not User.objects.exists()
    ada = choose_name(client)
    assert (ada.username, ada.display_name, ada.name_key) == ("Ada Lovelace", "Ada Lovelace", "adalovelace")
    assert (ada.is_guest, ada.has_usable_password(), ada.email) == (False, False, "ada@example.org")
    assert EmailAddress.objects.get(user=ada).verified
    assert mail.outbox == []


def test_only_the_id_at_the_service_is_stored(client: Client, services: Services) -> None:
    for _ in range(2):
        sign_in_by(client)
        client.post(NAME_FORM, {"username": "Ada Lovelace"})
        stored = SocialAccount.objects.get()
        assert (stored.provider, stored.uid, stored.extra_data) == ("github", "4711", {})
        client.post(reverse("account_logout"))
    assert not SocialToken.objects.exists()


@pytest.mark.parametrize("service", SERVICES)
def test_the_pending_session_holds_no_token(client: Client, services: Services, mine: Client, service: str) -> None:
    sign_in_by(client, service)
    connecting = mine
    sign_in_by(connecting, service, process="connect")
    for browser in (client, connecting):
        stored = json.dumps(dict(browser.session.items()))
        assert '"uid": "4711"' in stored
        for secret in ("a token", "id_token", "Ada King", "x.example"):
            assert secret not in stored


def grow_old(client: Client, seconds: float) -> None:
    """Make the service's answer this many seconds older."""
    session = client.session
    session["socialaccount_sociallogin"]["state"]["told_at"] -= seconds
    session.save()


def test_the_name_may_be_chosen_for_a_quarter_of_an_hour(client: Client, services: Services) -> None:
    sign_in_by(client)
    grow_old(client, 14 * 60)
    choose_name(client)


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_later_visitor_cannot_finish_the_sign_up(client: Client, services: Services, method: str) -> None:
    sign_in_by(client)
    grow_old(client, 15 * 60)
    answer = getattr(client, method)(NAME_FORM, {"username": "Ada Lovelace"})
    assert answer.headers["Location"] == SIGN_IN
    assert "Your sign-in has expired" in client.get(SIGN_IN).content.decode()
    assert "socialaccount_sociallogin" not in client.session
    assert not User.objects.exists()
    assert sign_in_by(client).headers["Location"] == NAME_FORM, "a new attempt is possible"


@pytest.mark.parametrize("claims", [{"iss": "https://evil.example"}, {"aud": "another site"}, {"exp": 1}])
def test_tokens_not_issued_to_this_site_now_are_refused(
    client: Client, services: Services, user: User, claims: dict[str, Any]
) -> None:
    connected(user, "google")
    services.claims = claims
    assert sign_in_by(client, "google").status_code == 401
    assert player_in(client) is None
    services.claims = {}
    sign_in_by(client, "google")
    assert player_in(client) == user


def test_a_known_player_is_signed_in(client: Client, services: Services, user: User) -> None:
    connected(user)
    answer = sign_in_by(client, next="/players/me/")
    assert (answer.headers["Location"], player_in(client)) == ("/players/me/", user)


def test_an_address_unconfirmed_there_is_not_stored(client: Client, services: Services) -> None:
    services.verified = False
    sign_in_by(client)
    ada = choose_name(client)
    assert ada.email == ""
    assert not EmailAddress.objects.exists()


@pytest.mark.parametrize("confirmed_here", [True, False])
@pytest.mark.parametrize("confirmed_there", [True, False])
def test_an_address_never_signs_in_to_an_existing_account(
    client: Client, services: Services, make_user: MakeUser, confirmed_here: bool, confirmed_there: bool
) -> None:
    services.verified = confirmed_there
    owner = make_user("Owner", email="ada@example.org")
    EmailAddress.objects.create(user=owner, email="ada@example.org", verified=confirmed_here, primary=True)
    assert sign_in_by(client).headers["Location"] == NAME_FORM
    assert player_in(client) is None
    is_mentioned = "An account with your email address already exists" in client.get(NAME_FORM).content.decode()
    assert is_mentioned == confirmed_there, "only the owner of the address learns of the account"
    ada = choose_name(client)
    assert ada != owner
    is_hers = confirmed_there and not confirmed_here  # an unconfirmed claim of her address does not block her
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


def test_taken_banned_and_held_names_are_refused(
    client: Client, services: Services, make_user: MakeUser, make_attempt: MakeAttempt
) -> None:
    make_user("Ada Lovelace")
    ban_player(make_user("Charles Babbage"))
    gone = make_user("Mary Somerville")
    make_attempt(gone, make_deal("plot", timezone.now().date()))
    erase_player(gone)
    sign_in_by(client)
    assert "very similar one" in refused_name(client, "ada lovelace")
    assert "very similar one" in refused_name(client, "Charles Babbage")
    assert refused_name(client, "Mary Somerville") == str(HELD)


def test_a_forbidden_name_is_not_suggested(client: Client, services: Services) -> None:
    services.login = "admin"
    sign_in_by(client)
    assert client.get(NAME_FORM).context["form"].initial["username"] == ""


def test_a_banned_player_is_not_signed_in(client: Client, services: Services, user: User) -> None:
    connected(user)
    ban_player(user)
    assert sign_in_by(client).headers["Location"] == reverse("account_inactive")
    assert player_in(client) is None


def test_cancelling_at_the_service_gets_a_friendly_answer(client: Client, services: Services) -> None:
    state = leave(client)
    answer = client.get(reverse("github_callback"), {"error": "access_denied", "state": state})
    assert answer.headers["Location"] == reverse("socialaccount_login_cancelled")
    assert "fine: sign in another way" in client.get(answer.headers["Location"]).content.decode()
    assert services.received == []


def test_a_foreign_state_is_refused(client: Client, services: Services, user: User) -> None:
    connected(user)
    state = leave(client)
    for browser, query in ((Client(), {"state": state}), (client, {"state": "x"}), (client, {})):
        answer = come_back(browser, **query)
        assert answer.status_code == 401
        assert "Not signed in" in answer.content.decode()
        assert player_in(browser) is None
    assert services.received == []
    assert come_back(client, state=state).status_code == 302
    assert come_back(client, state=state).status_code == 401, "a state works once"


def test_an_unreachable_service_is_not_a_server_error(client: Client, services: Services) -> None:
    services.fails = True
    answer = sign_in_by(client)
    assert answer.status_code == 401
    assert "Please try again" in answer.content.decode()


def test_a_guest_who_signs_up_keeps_ranked_games(
    services: Services, sign_in: SignIn, make_attempt: MakeAttempt
) -> None:
    guest = create_guest()
    make_attempt(guest, make_deal("plot", timezone.now().date()), won=True)
    client = sign_in(guest)
    sign_in_by(client)
    assert "re playing as the guest" in client.get(NAME_FORM).content.decode()
    assert User.objects.get(pk=guest.pk).is_guest
    ada = choose_name(client)
    assert (ada.pk, ada.is_guest, ada.display_name) == (guest.pk, False, "Ada Lovelace")
    assert Attempt.objects.get(player=ada).ranked
    assert Result.objects.get(player=ada).listed, "the results are listed on the boards"
    assert SocialAccount.objects.get().user == ada


def test_only_one_of_two_concurrent_connections_succeeds(
    services: Services, guest: User, make_user: MakeUser, sign_in: SignIn
) -> None:
    client = sign_in(guest)
    sign_in_by(client)
    first = connected(make_user())
    answer = client.post(NAME_FORM, {"username": "Ada Lovelace"}, follow=True)
    assert "already connected to another player" in answer.content.decode()
    assert SocialAccount.objects.get() == first
    assert not User.objects.filter(username="Ada Lovelace").exists()
    assert User.objects.get(pk=guest.pk).is_guest


def test_an_account_is_connected_and_disconnected_after_the_password(
    services: Services, user: User, mine: Client
) -> None:
    assert CONNECTIONS in mine.get(reverse("players:settings")).content.decode()
    response = sign_in_by(mine, process="connect")
    assert response.headers["Location"].startswith(reverse("account_reauthenticate"))
    assert not SocialAccount.objects.exists()
    mine.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    connection = SocialAccount.objects.get()
    assert (connection.user, connection.extra_data) == (user, {})
    assert "GitHub" in mine.get(CONNECTIONS).content.decode()
    assert not EmailAddress.objects.exists()
    mine.post(CONNECTIONS, {"account": connection.pk})
    assert not SocialAccount.objects.exists()


def test_others_connections_cannot_be_added_or_removed(
    services: Services, make_user: MakeUser, trusted: Client
) -> None:
    theirs = connected(make_user())
    sign_in_by(trusted, process="connect")
    assert "already connected to a different account" in trusted.get(CONNECTIONS).content.decode()
    assert trusted.post(CONNECTIONS, {"account": theirs.pk}).status_code == 200
    assert SocialAccount.objects.get() == theirs


def test_the_last_sign_in_method_cannot_be_removed(services: Services, client: Client) -> None:
    sign_in_by(client)
    client.post(NAME_FORM, {"username": "Ada Lovelace"})
    answer = client.post(CONNECTIONS, {"account": SocialAccount.objects.get().pk})
    assert "t sign in again" in answer.content.decode()
    assert SocialAccount.objects.exists()


def test_export_and_deletion_work_without_a_password(services: Services, client: Client) -> None:
    sign_in_by(client)
    ada = choose_name(client)
    (exported,) = _account(ada)["sign_in_by"]
    assert (exported["provider"], exported["uid"]) == ("github", "4711")
    assert client.get(reverse("players:download")).status_code == 200
    client.post(reverse("players:delete"), {"name": "Ada Lovelace"})
    ada.refresh_from_db()
    assert ada.is_former
    assert not SocialAccount.objects.exists()
    assert sign_in_by(client).headers["Location"] == NAME_FORM, "the connection is deleted with the account"


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
def keyless(user: User, services: Services) -> User:
    connected(user)
    user.set_unusable_password()
    user.save()
    return user


def signed_in_long_ago(client: Client) -> None:
    """Sign in with the service, and let an hour pass."""
    sign_in_by(client)
    session = client.session
    for record in session["account_authentication_methods"]:
        record["at"] -= 3600
    session.save()


@pytest.mark.parametrize(("method", "name", "form"), SENSITIVE)
def test_sensitive_changes_ask_for_a_fresh_service_sign_in(
    client: Client, keyless: User, method: str, name: str, form: dict[str, str]
) -> None:
    signed_in_long_ago(client)
    response = getattr(client, method)(reverse(name), form)
    assert urlsplit(response.headers["Location"]).path == AGAIN
    page = client.get(response.headers["Location"]).content.decode()
    assert f'action="{reverse("github_login")}"' in page
    assert f'action="{reverse("google_login")}"' not in page, "only a connected service signs in to the account"
    keyless.refresh_from_db()
    assert (keyless.is_former, keyless.has_usable_password(), EmailAddress.objects.count()) == (False, False, 0)


def test_the_change_continues_after_the_sign_in(client: Client, keyless: User) -> None:
    signed_in_long_ago(client)
    response = client.post(reverse("players:delete"), {"name": "Ada Lovelace"})
    (back,) = parse_qs(urlsplit(response.headers["Location"]).query)["next"]
    sign_in_by(client, process="again", next=back)
    keyless.refresh_from_db()
    assert keyless.is_former


def test_it_is_not_asked_again_soon(client: Client, keyless: User) -> None:
    signed_in_long_ago(client)
    assert sign_in_by(client, process="again", next="/players/me/data/").headers["Location"] == "/players/me/data/"
    assert client.get(reverse("players:download")).status_code == 200
    assert client.get(reverse("mfa_activate_totp")).status_code == 200
    assert player_in(client) == keyless


def test_another_service_can_be_connected_afterwards(client: Client, keyless: User, services: Services) -> None:
    signed_in_long_ago(client)
    services.uid = "4712"
    response = sign_in_by(client, "google", process="connect")
    assert client.get(response.headers["Location"]).headers["Location"].startswith(AGAIN)
    assert SocialAccount.objects.count() == 1
    services.uid = "4711"
    sign_in_by(client, process="again")
    assert set(SocialAccount.objects.filter(user=keyless).values_list("provider", flat=True)) == {"github", "google"}


def test_another_persons_service_account_is_refused(
    client: Client, keyless: User, services: Services, make_user: MakeUser
) -> None:
    connected(make_user(), uid="99")
    signed_in_long_ago(client)
    for uid in ("99", "100"):
        services.uid = uid
        answer = sign_in_by(client, process="again", next="/players/me/delete/")
        assert answer.headers["Location"].startswith(AGAIN)
        assert "not the account you sign in with" in client.get(answer.headers["Location"]).content.decode()
        assert player_in(client) == keyless
        assert client.get(reverse("players:delete")).status_code == 302


def test_accounts_with_a_password_are_asked_for_it(user: User, mine: Client, services: Services) -> None:
    connected(user)
    sign_in_by(mine, process="again")
    response = mine.get(reverse("players:delete"))
    assert response.headers["Location"].startswith(reverse("account_reauthenticate"))
    assert mine.get(AGAIN).headers["Location"] == reverse("players:settings")


def test_without_keys_there_is_nothing_to_ask_for(client: Client, keyless: User, settings: Any) -> None:
    signed_in_long_ago(client)
    settings.SOCIALACCOUNT_PROVIDERS = {}
    assert client.get(reverse("players:delete")).status_code == 200
