"""The form for a room's webhook follows the host role, without a reload."""

from __future__ import annotations

import pytest

from tests.browser.conftest import PHONE, Site, Visit
from tests.browser.pages.test_every_page import faults
from tests.browser.races.test_races import ROOM, press
from tests.browser.table_driver import sign_up

sync_api = pytest.importorskip("playwright.sync_api")

URL = "https://discord.com/api/webhooks/112233445566778899/c2VjcmV0-dG9rZW4_b2YtYS13ZWJob29r-wXyZ"


def test_only_the_current_host_sees_the_webhook_form(visit: Visit, site: Site, complaints: list[str]) -> None:
    host, friend = visit(**PHONE), visit()
    sign_up(host, "Pasiphae")
    sign_up(friend, "Asterion")
    site.control.ask("age_accounts")
    host.goto("/races/")
    press(host, "Open a room")
    host.wait_for_url(ROOM)
    friend.goto(host.url)
    press(friend, "Join")
    form, other_form = host.locator("#webhook"), friend.locator("#webhook")
    host.get_by_label("Webhook URL").fill("https://evil.example/a")
    press(host, "Post results")
    sync_api.expect(form.get_by_role("alert")).to_be_in_viewport()
    complaints.clear()  # the status of the refused form
    assert faults(host) == []
    assert host.get_by_label("Webhook URL").input_value() == "https://evil.example/a"
    host.get_by_label("Webhook URL").fill(URL)
    press(host, "Post results")
    sync_api.expect(form).to_contain_text("discord.com/…wXyZ")
    sync_api.expect(other_form).to_be_hidden()
    press(host, "Leave")
    sync_api.expect(other_form.get_by_label("Webhook URL")).to_be_visible()
    sync_api.expect(form).to_be_hidden()
