"""The site offline: shows it, plays the lessons, and continues when online again."""

from __future__ import annotations

import json
import re

from tests.browser.conftest import Visit
from tests.browser.pages.test_site import Pupil, lesson_tokens
from tests.browser.table_driver import Mouse, won_record

#: The caches, once there is one in the language and no other, because the new worker has deleted the old ones.
KEPT = """async (language) => {
  await navigator.serviceWorker.ready;
  for (;;) {
    const [name, ...more] = await caches.keys();
    if (name.startsWith(`talon-${language}-`) && more.length === 0)
      return (await (await caches.open(name)).keys()).map(({url}) => new URL(url).pathname);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}"""


def test_lessons_work_offline_and_the_game_resumes_online(visit: Visit, complaints: list[str]) -> None:
    page = visit("/verify/", service_workers="allow")
    page.evaluate(KEPT, "en-gb")
    page.click(".languages button[value=de]")
    cached = page.evaluate(KEPT, "de")
    assert all(path.startswith(("/static/", "/offline/de/")) for path in cached), json.dumps(cached)
    assert any("/js/table/hud/tones." in path for path in cached)  # including what a lesson loads lazily
    context = page.context
    page.goto("/play/labyrinth/")
    page.click("text=Karten geben")
    player = Mouse(page)
    page.wait_for_selector("body[data-connection=open]")
    table = page.url
    first, second, *_ = won_record("labyrinth")["tokens"]
    player.play(first)
    player.wait_played()
    other = visit("/verify/", context=context)

    context.set_offline(True)
    page.wait_for_selector("body[data-connection=lost]")
    assert page.is_visible("#lost-text")
    assert page.is_hidden("#retry")  # a reload would remove the cards
    assert page.locator("#felt .card").count() > 0

    other.goto("/")
    assert other.inner_text("h1") == "Talon ist nicht zu erreichen"
    other.click(".deal-link[href='/rules/plot/']")
    other.wait_for_url(re.compile("/rules/plot/"))
    assert "Keine Verbindung." in other.inner_text("#offline")
    pupil = Pupil(other)
    other.evaluate("document.querySelector('.lesson').scrollIntoView()")
    for token in lesson_tokens("plot")[1]:
        pupil.play(token)
    other.wait_for_selector(".lesson-say[data-state=done]")
    later = visit("/verify/", context=context)
    later.goto(table)
    assert later.inner_text("h1") == "Talon ist nicht zu erreichen"

    context.set_offline(False)
    page.wait_for_selector("body[data-connection=open]")
    player.play(second)
    player.wait_played()
    other.wait_for_selector("[data-line=back]:visible")
    assert other.get_attribute("[data-line=back] a", "href") == "/rules/plot/"
    later.wait_for_selector("#felt .card")  # the table opens by itself
    complaints.clear()  # the browser logs the failed requests


def test_a_form_sent_offline_explains_and_links_back(visit: Visit, complaints: list[str]) -> None:
    page = visit("/players/", service_workers="allow")
    page.evaluate(KEPT, "en-gb")
    page.goto("/accounts/login/")
    page.fill("[name=login]", "Ariadne")
    page.fill("[name=password]", "not sent")
    page.context.set_offline(True)
    page.click("main button:has-text('Sign in'):not([form])")
    page.wait_for_selector("h1:has-text('Not sent')")
    page.context.set_offline(False)
    page.wait_for_selector("[data-line=back]:visible")
    page.click("[data-line=back] a")
    page.wait_for_selector("[name=password]")
    assert page.url.endswith("/accounts/login/")
    page.fill("[name=login]", "Ariadne")
    page.fill("[name=password]", "wrong")
    page.click("main button:has-text('Sign in'):not([form])")
    page.wait_for_selector("main [role=alert], main .errorlist, main .error")
    complaints.clear()  # the browser logs the failed requests
