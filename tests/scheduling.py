"""Distribution of the tests to the workers of a parallel run (pytest-xdist)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import pytest
from xdist.scheduler import LoadScopeScheduling

#: Files and folders whose tests share servers, databases or compiled code, each group in one worker. Compiling all
#: searches takes a minute.
GROUPS: Final = {
    "tests/browser/pages/test_every_page.py": "pages",
    "tests/config/backends/test_at_once.py": "postgresql",
    "tests/config/backends/test_postgresql.py": "postgresql",
    "tests/config/processes/test_stack.py": "postgresql",
    "tests/games/deals/test_first_day.py": "solver",
    "tests/games/fairplay/test_cheats.py": "solver",
    "tests/games/fairplay/test_copies.py": "solver",
    "tests/games/fairplay/test_foresight.py": "solver",
    "tests/games/fairplay/test_honest.py": "solver",
    "tests/games/hints/test_hint_games.py": "solver",
    "tests/games/live/test_on_postgresql.py": "postgresql",
    "tests/games/races/test_deals.py": "solver",
    "tests/ordinary_life/test_attention.py": "people",
    "tests/ordinary_life/test_every_live_page.py": "live pages",
    "tests/ordinary_life/test_one_address.py": "people",
    "tests/ordinary_life/test_sockets.py": "people",
    "tests/ordinary_life/": "ordinary life",
    "tests/rules/variants/test_safe_moves.py": "solver",
    "tests/services/test_doctor.py": "replicated services",
    "tests/services/test_replicas.py": "replicated services",
    "tests/services/": "services",
    "tests/solver/test_package.py": "package",
    "tests/solver/": "solver",
}


#: Groups that take minutes, so that no worker is left with one at the end.
LONG: Final = ("services", "pages", "replicated services", "solver")

#: Folders whose tests share a browser.
BROWSER: Final = ("tests/browser/", "tests/ordinary_life/")

#: Files and folders with many slow tests, each of which may go to another worker.
SPLIT: Final = ("tests/browser/", "tests/config/http/test_malformed_requests.py", "tests/games/test_secrecy.py")


def group_of(nodeid: str) -> str:
    """Return the group of a test: one of `GROUPS`, or the test's file, or for `SPLIT` files the test itself."""
    own = nodeid if nodeid.startswith(SPLIT) else nodeid.partition("::")[0]
    return next((group for start, group in GROUPS.items() if nodeid.startswith(start)), own)


def uses_browser(tests: Iterable[str]) -> bool:
    return next(iter(tests)).startswith(BROWSER)


class Scheduler(LoadScopeScheduling):  # type: ignore[misc]  # xdist carries no types
    """Give each group of tests to one worker, in the order of collection, but the browser's first to every other one.

    So the browser's long groups begin early, and few workers start a browser with its servers.

    The `xdist_group` mark and `--dist loadgroup` have no effect with pytest 9.2, which ignores xdist's changed ids.
    """

    def __init__(self, config: pytest.Config, log: Any = None) -> None:
        config.option.loadscopereorder = False  # by the number of tests, which says nothing about their time
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)

    def _assign_work_unit(self, node: Any) -> None:
        prefers_browser = int(node.gateway.id.removeprefix("gw")) % 2 == 1
        first = next((group for group, tests in self.workqueue.items() if uses_browser(tests) == prefers_browser), None)
        if first is not None:
            self.workqueue.move_to_end(first, last=False)
        super()._assign_work_unit(node)
