"""Chromium with the real embedded server, in its own process with a temporary SQLite file and a free port."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from deploy.servers import free_port
from tests.browser.table_driver import won_record
from tests.control import ControlProcess
from tests.once import made_once
from tests.requirements import HEADLESS_SHELL

sync_api = pytest.importorskip("playwright.sync_api")

#: Type of the fixture `visit`, and its options for a phone and for tests of animations.
Visit = Callable[..., Any]
PHONE: dict[str, Any] = {"width": 390, "height": 844}
MOVING: dict[str, Any] = {"reduced_motion": "no-preference"}

ROOT = Path(__file__).resolve().parents[2]
ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"),
    # Fewer processes save a sixth of the time.
    *("--in-process-gpu", "--renderer-process-limit=1", "--disable-site-isolation-trials"),
]
START_SECONDS = 60
#: A key for tests only: it enables the settings for reminders, and no reminder is sent.
VAPID_PRIVATE_KEY = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE"
#: One deal of each variant, certified before the server starts.
CERTIFYING = {"SEALED_STOCK": "1", "DEAL_PATIENCE": "900", "RELEASE_PATIENCE": "600"}
#: Timeout of all waits in ms, for a busy machine.
PATIENCE_MS = 60_000
#: Interval of the waits for a condition. Playwright's own draw 60 frames a second.
POLL_MS = 40

#: The day of the only past deal, whose winning line is known.
OLD_DAY = "2026-01-05"


@dataclass(frozen=True)
class Site:
    """A server's address, its output, its environment, and commands inside it."""

    url: str
    log: Path
    environment: dict[str, str]
    control: ControlProcess


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests here as browser tests; each worker has its own browser and server."""
    for item in items:
        if item.nodeid.startswith("tests/browser/"):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def prepared(collected: Path, sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Database and files of a site as in production, made once for all workers of a run.

    Serving the client's modules one by one would make every page a third slower.
    """

    def prepare(var: Path) -> None:
        shutil.copytree(sqlite_template, var, dirs_exist_ok=True, ignore=shutil.ignore_patterns("static"))
        (var / "static").symlink_to(collected)
        make_database(embedded_environment(var, COLLECTED_STATIC="true"))

    return made_once(tmp_path_factory, "prepared", prepare)


def copied(prepared: Path, var: Path, *, collected: bool = True, **variables: str) -> Iterator[Site]:
    """Run a server on a copy of what `prepared` made; without `collected`, it serves the source files."""
    for file in prepared.glob("talon.sqlite3*"):
        shutil.copy(file, var)
    (var / "static").symlink_to(prepared / "static")
    yield from run_server(var, embedded_environment(var, COLLECTED_STATIC=str(collected).lower(), **variables))


@pytest.fixture(scope="session")
def site(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The server shared by all browser tests of a worker."""
    yield from copied(prepared, tmp_path_factory.mktemp("site"))


def from_sources(page: Any) -> None:
    """Serve the client's files to a page under their source names."""
    static = ROOT / "frontend" / "static"

    def answer(route: Any) -> None:
        file = static / urlsplit(route.request.url).path.removeprefix("/static/")
        route.fulfill(path=file) if file.is_file() else route.continue_()

    page.route("**/static/**", answer)


def serve(var: Path, *, certified: bool = False, **variables: str) -> Iterator[Site]:
    """Run the embedded server with known deals for today, and for tomorrow in case midnight passes.

    With `certified`, the deals are made as when a site opens, which takes a minute or two.
    """
    environment = embedded_environment(var, **variables)
    subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], env=environment, cwd=ROOT, check=True)
    make_database(environment, certified=certified)
    yield from run_server(var, environment)


def embedded_environment(var: Path, **variables: str) -> dict[str, str]:
    keep = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {
        **keep,
        # No searches for certified deals and puzzles beside the tests.
        "SEALED_STOCK": "0",
        "DEAL_PATIENCE": "0",
        "PUZZLE_STOCK": "0",
        "VAR_DIR": str(var),
        "HOST": "127.0.0.1",
        "VAPID_PRIVATE_KEY": VAPID_PRIVATE_KEY,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PYTHONPATH": str(ROOT),
        **variables,
    }


def make_database(environment: dict[str, str], *, certified: bool = False) -> None:
    """Create the deals in the migrated database."""
    variants = [path.stem for path in (ROOT / "tests" / "rules" / "golden").glob("*.json") if path.stem != "options"]
    control = ControlProcess("tests.browser.control", environment, Path(environment["VAR_DIR"], "control.log"))
    control.ask(
        "make_deals",
        seeds={} if certified else {variant: won_record(variant)["seed"] for variant in variants},
        old=won_record("labyrinth", last=True),
        old_day=OLD_DAY,
    )
    control.stop()
    if certified:
        subprocess.run(
            [sys.executable, "-m", "config.processes.release"], env=environment | CERTIFYING, cwd=ROOT, check=True
        )


def run_server(var: Path, environment: dict[str, str]) -> Iterator[Site]:
    """Run the embedded server on a free port until the iterator is closed."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    environment = {"PUBLIC_URL": url, **environment, "PORT": str(port)}
    log = var / "server.log"
    control = ControlProcess("tests.browser.control", environment, var / "control.log")
    with log.open("a") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.browser.embedded"], env=environment, cwd=ROOT, stdout=output, stderr=output
        )
        try:
            _wait_until_ready(process, url, log)
            yield Site(url, log, environment, control)
        finally:
            control.stop()
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_until_ready(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            pytest.fail(f"the server ended: {log.read_text()[-2000:]}")
        try:
            with urlopen(f"{url}/readyz", timeout=2):
                return
        except (URLError, OSError):
            time.sleep(0.1)
    pytest.fail(f"the server was not ready within {START_SECONDS} s: {log.read_text()[-2000:]}")


@pytest.fixture(scope="package")
def playwright() -> Iterator[Any]:
    """Playwright, which stops after this folder, because async tests cannot run in the thread of its loop."""
    sync_api.expect.set_options(timeout=PATIENCE_MS)
    wait = sync_api.Page.wait_for_function

    def poll(page: Any, expression: str, **how: Any) -> Any:
        return wait(page, expression, **{"polling": POLL_MS, **how})

    with pytest.MonkeyPatch.context() as patch, sync_api.sync_playwright() as playwright:
        patch.setattr(sync_api.Page, "wait_for_function", poll)
        yield playwright


@pytest.fixture(scope="package")
def chromium(playwright: Any) -> Iterator[Any]:
    """One browser for all tests; each test opens its own contexts."""
    browser = playwright.chromium.launch(executable_path=HEADLESS_SHELL, args=ARGUMENTS)
    yield browser
    browser.close()


@pytest.fixture(autouse=True)
def rerun_starts_afresh(request: pytest.FixtureRequest) -> None:
    """Before a rerun, start afresh without the players of the first attempt."""
    if getattr(request.node, "execution_count", 1) > 1 and "site" in request.fixturenames:
        request.getfixturevalue("site").control.ask("start_afresh")


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """Collect console errors, page errors and violations of the content security policy; any of them fails the test.

    A test that provokes some clears the list.
    """
    found: list[str] = []
    yield found
    assert found == []


@contextmanager
def noted_errors(context: Any, complaints: list[str]) -> Iterator[None]:
    """Collect the errors of all pages of a context."""

    def note_message(message: Any) -> None:
        if message.type == "error":
            complaints.append(f"{message.location.get('url')}: {message.text}")

    def note_error(error: Any) -> None:
        complaints.append(f"{error.page and error.page.url}: {error.error}")

    context.on("console", note_message)
    context.on("weberror", note_error)
    yield
    context.remove_listener("console", note_message)
    context.remove_listener("weberror", note_error)


#: Makes a browser one that was offered sound: the offer moves the cards.
SOUND_ANSWERED = "try { localStorage['talon.sound-offer'] = 'answered'; } catch {}"


class Tabs:
    """The pages of one test. Shared ones are reset for the next test."""

    def __init__(self, chromium: Any, site: Site, complaints: list[str], idle: list[Any]) -> None:
        self._chromium, self._site, self._complaints, self._idle = chromium, site, complaints, idle
        self._shared: list[Any] = []
        self._contexts: list[Any] = []
        self._listening = ExitStack()

    def open(
        self,
        path: str = "/healthz",
        *,
        width: int = 1280,
        height: int = 860,
        reduced_motion: str = "reduce",
        context: Any = None,
        fresh: bool = False,
        sound_offered: bool = True,
        session: str = "",
        **options: Any,
    ) -> Any:
        """Open a page in a context of its own, or as another tab of `context`.

        `session` signs a player in. Without `sound_offered`, the table will offer sound.
        """
        measure = {"width": width, "height": height}
        if context is not None:
            page = context.new_page()
        elif fresh or options or not sound_offered:
            options |= {"viewport": measure, "reduced_motion": reduced_motion}
            page = self._new_context(sound_offered=sound_offered, **options).new_page()
            self._watch(page.context)
        else:
            page = self._idle.pop() if self._idle else self._new_context(reduced_motion="reduce").new_page()
            self._shared.append(page)
            self._watch(page.context)
            page.set_viewport_size(measure)
            page.emulate_media(reduced_motion=reduced_motion, color_scheme="light", forced_colors="none")
        if session:
            page.context.add_cookies([{"name": "sessionid", "value": session, "url": self._site.url}])
        page.goto(path)
        return page

    def close(self) -> None:
        """Close what the test opened, except pages that the next test can use."""
        self._listening.close()
        for page in self._shared:
            if not page.is_closed():
                self._reset(page)
                self._contexts.remove(page.context)
                self._idle.append(page)
        for context in self._contexts:
            context.close()

    def _new_context(self, *, sound_offered: bool = True, **options: Any) -> Any:
        context = self._chromium.new_context(base_url=self._site.url, **{"service_workers": "block", **options})
        context.set_default_timeout(PATIENCE_MS)
        if sound_offered:
            context.add_init_script(SOUND_ANSWERED)
        return context

    def _watch(self, context: Any) -> None:
        self._contexts.append(context)
        self._listening.enter_context(noted_errors(context, self._complaints))

    @staticmethod
    def _reset(page: Any) -> None:
        for other in page.context.pages:
            if other != page:
                other.close()
        page.unroute_all(behavior="ignoreErrors")
        page.goto("/healthz")
        page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        page.mouse.up()
        page.mouse.move(0, 0)
        page.context.clear_cookies()


@pytest.fixture(scope="package")
def idle_pages(chromium: Any) -> dict[str, list[Any]]:
    """Pages of earlier tests by site, to use again: a new page costs more than most tests."""
    return defaultdict(list)


@pytest.fixture
def visit(chromium: Any, site: Site, complaints: list[str], idle_pages: dict[str, list[Any]]) -> Iterator[Visit]:
    """Open a page of a new visitor: `visit("/path", width=…, height=…, **context options)`.

    Motion is reduced, and service workers are blocked, unless a test asks for them. The next test gets the same pages,
    except those with context options, so a test needs `fresh=True` if it adds init scripts, controls the clock, or
    routes web sockets.
    """
    tabs = Tabs(chromium, site, complaints, idle_pages[site.url])
    yield tabs.open
    tabs.close()
