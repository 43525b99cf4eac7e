"""The switch for reminders in the browser; only the push service is simulated."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.conftest import ARGUMENTS, Visit
from tests.browser.table_driver import sign_up
from tests.requirements import CHROMIUM

expect = pytest.importorskip("playwright.sync_api").expect

#: A browser that records requests for permission, and makes up subscriptions.
MADE_UP = """(() => {
  window.calls = [];
  let permission = "default";
  Object.defineProperty(Notification, "permission", { get: () => permission });
  Notification.requestPermission = async () => {
    calls.push(navigator.userActivation.isActive ? "asked upon a click" : "asked by itself");
    return (permission = window.answer ?? "granted");
  };
  const keys = {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg",
  };
  let held = null;
  PushManager.prototype.getSubscription = async () => held;
  PushManager.prototype.subscribe = async (how) => {
    calls.push(how.userVisibleOnly, typeof how.applicationServerKey);
    return (held = {
      toJSON: () => ({ endpoint: "https://fcm.googleapis.com/fcm/send/made-up", keys }),
      unsubscribe: async () => { calls.push("unsubscribed"); held = null; },
    });
  };
})();"""


@pytest.fixture(scope="package")
def chromium(playwright: Any) -> Iterator[Any]:
    """A browser with notifications."""
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
    yield browser
    browser.close()


def test_the_switch_asks_permission_and_a_reminder_appears(visit: Visit) -> None:
    page = visit(service_workers="allow", permissions=["notifications"], timezone_id="Asia/Tokyo")
    page.add_init_script(MADE_UP)
    sign_up(page, "Mnemosyne")
    page.goto("/players/me/settings/")
    switch, says = page.locator("#push-on"), page.locator("#push-says")
    expect(switch).to_be_enabled()
    expect(switch).not_to_be_checked()
    assert page.evaluate("calls") == []

    page.evaluate("answer = 'denied'")
    switch.click()
    expect(says).to_contain_text("blocks messages")
    expect(switch).not_to_be_checked()
    page.evaluate("answer = 'granted'")
    with page.expect_request("**/players/me/push/") as sent:
        switch.click()
    expect(says).to_have_text("Reminders are on in this browser.")
    subscription = json.loads(sent.value.post_data)
    assert (subscription["hour"], subscription["zone"]) == (18, "Asia/Tokyo")
    assert page.evaluate("calls") == ["asked upon a click", "asked upon a click", True, "string"]
    page.select_option("#push-hour", "7")
    expect(says).to_have_text("Saved.")
    with page.expect_request(lambda request: request.method == "DELETE"):
        switch.click()
    expect(says).to_contain_text("Reminders are off")
    assert page.evaluate("calls.at(-1)") == "unsubscribed"

    registrations: list[str] = []
    devtools = page.context.new_cdp_session(page)
    devtools.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda event: registrations.extend(one["registrationId"] for one in event["registrations"]),
    )
    devtools.send("ServiceWorker.enable")
    reminder = {"title": "Race of the day", "body": "Doors are open.", "lang": "en-gb", "path": "/races/daily/"}
    delivered = {"origin": page.evaluate("location.origin"), "data": json.dumps({**reminder, "topic": "race"})}
    # A message that arrives while the worker starts may be lost, so it is sent until one is shown.
    for _ in range(12):
        devtools.send("ServiceWorker.deliverPushMessage", {**delivered, "registrationId": registrations[-1]})
        page.wait_for_timeout(1_000)
        shown = page.evaluate(
            """async () => {
              const registration = await navigator.serviceWorker.ready;
              const all = await registration.getNotifications();
              return all.map(({ title, body, lang, tag, data: path }) => ({ title, body, lang, tag, path }));
            }"""
        )
        if shown:
            break
    assert shown[0] == {**reminder, "tag": "talon-race"}


def test_the_race_of_the_day_is_switched_on_at_its_page_and_off_in_the_settings(visit: Visit) -> None:
    page = visit(service_workers="allow", permissions=["notifications"], timezone_id="Asia/Tokyo")
    page.goto("/races/daily/")
    expect(page.locator("[data-race]")).to_have_count(0)
    page.add_init_script(MADE_UP)
    sign_up(page, "Kairos")
    page.goto("/races/daily/")
    evening = page.get_by_role("switch", name="Remind me of the 04:00 race")
    expect(evening).to_be_enabled()
    evening.click()
    expect(page.locator("#push-says")).to_have_text("Saved.")
    assert page.evaluate("calls[0]") == "asked upon a click"
    page.reload()
    expect(evening).to_be_checked()

    page.goto("/players/me/settings/")
    expect(evening).to_be_checked()
    expect(page.locator("#push-hour")).to_have_value("")
    evening.click()
    expect(page.locator("#push-says")).to_have_text("Saved.")
    page.reload()
    expect(evening).not_to_be_checked()
    expect(evening).to_be_disabled()
