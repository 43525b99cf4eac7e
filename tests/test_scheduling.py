"""Distribution of the tests to workers."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock, call

import pytest

from tests.scheduling import GROUPS, SPLIT, group_of

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("path", GROUPS)
def test_every_group_has_its_files(path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize("path", SPLIT)
def test_every_split_file_exists(path: str) -> None:
    assert (ROOT / path).exists()


def test_the_most_specific_path_decides() -> None:
    assert group_of("tests/solver/test_package.py::test_a") == "package"
    assert group_of("tests/browser/pages/test_every_page.py::test_a") == "pages"
    assert group_of("tests/browser/pages/test_site.py::test_a") == "tests/browser/pages/test_site.py::test_a"
    assert group_of("tests/rules/test_a.py::test_a") == "tests/rules/test_a.py"
    assert group_of("tests/solver/test_braid.py::test_a[1]") == "solver"


def test_a_group_goes_to_one_worker_in_the_order_of_collection(pytestconfig: pytest.Config) -> None:
    config = SimpleNamespace(option=SimpleNamespace(loadscopereorder=True), getvalue=lambda _: ["2*popen"])
    scheduler: Any = pytestconfig.hook.pytest_xdist_make_scheduler(config=config, log=None)
    tests = ["tests/test_a.py::a", *(f"tests/services/test_b.py::b[{n}]" for n in range(4)), "tests/test_c.py::c"]
    workers = [Mock(shutting_down=False), Mock(shutting_down=False)]
    for worker in workers:
        scheduler.add_node(worker)
        scheduler.add_node_collection(worker, tests)
    scheduler.schedule()
    assert [worker.send_runtest_some.mock_calls for worker in workers] == [[call([0]), call([5])], [call([1, 2, 3, 4])]]
