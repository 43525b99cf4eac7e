"""Webhook URLs: the allowed ones, the reason for refusing others, and the short form."""

from __future__ import annotations

from typing import Any

import pytest

from games.core.errors import ErrorCode, Refusal
from games.races.webhooks.webhook_url import check_url, host_of, short_form
from tests.games.races.webhooks.discord import TOKEN, URL


@pytest.mark.parametrize(
    "url", [URL, f" {URL}\n", URL.replace("discord.com", "discord.com:443"), f"{URL}?thread_id=12&wait=true"]
)
def test_webhooks_of_discord_are_accepted(url: str) -> None:
    assert check_url(url) == url.strip()


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("", "begins with https"),
        (URL.replace("https", "http"), "begins with https"),
        ("ftp://discord.com/api/webhooks/1/a", "begins with https"),
        ("https://evil.example/api/webhooks/1/a", "doesn't post to that service"),
        ("https://discord.com.evil.example/api/webhooks/1/a", "doesn't post to that service"),
        ("https://evil.discord.com/api/webhooks/1/a", "doesn't post to that service"),
        ("https://discord.com/channels/1/2", "not the URL of a webhook"),
        ("https://discord.com/api/webhooks", "not the URL of a webhook"),
        ("https://discord.com/api/webhooksx/1", "not the URL of a webhook"),
        ("https://discord.com/api/webhooks/../users/1", "not the URL of a webhook"),
        ("https://discord.com/api/webhooks/%2e%2e/users", "not the URL of a webhook"),
        ("https://discord.com:8443/api/webhooks/1/a", "not the URL of a webhook"),
        ("https://me@discord.com/api/webhooks/1/a", "not the URL of a webhook"),
        ("https://discord.com@127.0.0.1/api/webhooks/1/a", "not the URL of a webhook"),
        ("https://127.0.0.1/api/webhooks/1/a", "doesn't post to that service"),
        ("https://[::1]/api/webhooks/1/a", "not the URL of a webhook"),
        ("https://discord.com/api/webhooks/1/a b", "not the URL of a webhook"),
        ("https://discord.com/api/webhooks/1/a\r\nHost: b", "not the URL of a webhook"),
        ("https://discord.com/api/webhooks/1/a#b", "not the URL of a webhook"),
        ("https://discord.com/api/webhooks/1/" + "a" * 500, "not the URL of a webhook"),
    ],
)
def test_other_urls_are_refused_with_a_reason(url: str, reason: str) -> None:
    with pytest.raises(Refusal) as refusal:
        check_url(url)
    assert refusal.value.code is ErrorCode.BAD_WEBHOOK
    assert reason in str(refusal.value.sentence)
    assert TOKEN not in str(refusal.value.to_json())


def test_operators_can_allow_other_services(settings: Any) -> None:
    settings.WEBHOOK_SERVICES = ["hooks.example", "chat.example/hooks/"]
    for url in ("https://hooks.example/a", "https://chat.example/hooks/a/b"):
        assert check_url(url) == url
    for url in (URL, "https://chat.example/other/a"):
        with pytest.raises(Refusal):
            check_url(url)


def test_the_short_form_shows_little_of_the_secret() -> None:
    assert short_form(URL) == f"discord.com/…{TOKEN[-4:]}"
    assert short_form("https://hooks.example/short") == "hooks.example/…"
    assert host_of(f"{URL}?thread_id=1") == "discord.com"
