"""Mutation testing: find code changes that no test notices (`python -m tests.mutation`, or `make mutate`).

mutmut works in a copy of the sources under var/mutation/, with the quick tests of each module. Survivors are written to
`var/mutation/<module>.txt` with their diffs. All mutants of a module take from minutes to an hour; `--sample 60` tries
a random sample of 60, and prints the seed that picks the same sample again.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / "var" / "mutation"
MUTMUT = Path(sys.executable).with_name("mutmut")

#: Excludes the tests of bad luck, which take minutes to check what these check in seconds.
RACES = (
    "tests/games/races/test_race_lifecycle.py",
    "tests/games/races/test_refusals.py",
    "tests/games/races/test_leaving.py",
)
QUICK_MATCHES = ("tests/games/races/quick_match",)
JOURNAL = ("tests/games/live/test_journal.py",)
#: The modules, and the tests that must notice when they change.
MODULES: dict[str, tuple[str, ...]] = {
    **{
        str(path.relative_to(ROOT)): ("tests/rules",)
        for path in sorted((ROOT / "games" / "rules").rglob("*.py"))
        if not path.name.startswith("__")
    },
    "games/attempts/lifecycle.py": (
        "tests/games/attempts/test_attempts.py",
        "tests/games/live/test_pauses.py",
        "tests/games/pages/practice/test_practice.py",
        "tests/games/fairplay/test_copies.py",
        "tests/leaderboards/desk/test_desk.py",
    ),
    "games/live/journal.py": JOURNAL,
    "games/live/journal_store.py": (*JOURNAL, "tests/games/live/test_pauses.py"),
    "games/fairplay/copies.py": ("tests/games/fairplay/test_copies.py",),
    "games/fairplay/pace.py": ("tests/games/fairplay/test_pace.py", "tests/leaderboards/verdicts/test_verification.py"),
    "games/attempts/verification.py": (
        "tests/leaderboards/verdicts/test_verification.py",
        "tests/leaderboards/verdicts/test_verify_command.py",
        "tests/games/fairplay/test_copies.py",
        "tests/games/fairplay/test_links.py",
        "tests/games/fairplay/test_pace.py",
    ),
    "games/pages/daily/deal_page.py": ("tests/games/deals/test_ledger.py", "tests/games/pages/daily/test_home.py"),
    "games/pages/info/ledger_page.py": ("tests/games/deals/test_ledger.py",),
    "games/races/starting.py": RACES,
    "games/races/finishing.py": RACES,
    "games/races/seats.py": (*RACES, *QUICK_MATCHES),
    "games/races/quick_match/matchmaking.py": QUICK_MATCHES,
    "games/races/quick_match/roll_call.py": QUICK_MATCHES,
    "leaderboards/ratings/rules.py": (
        "tests/leaderboards/ratings/test_rules.py",
        "tests/leaderboards/ratings/test_ratings.py",
    ),
    "leaderboards/verdicts/settlement.py": (
        "tests/leaderboards/verdicts/test_settlement.py",
        "tests/leaderboards/verdicts/test_verification.py",
        "tests/leaderboards/boards/test_ladders.py",
        "tests/games/fairplay/test_copies.py",
    ),
    "accounts/lifecycle/erasure.py": (
        "tests/accounts/lifecycle/test_erasure.py",
        "tests/accounts/names/test_released_names.py",
        "tests/games/fairplay/test_links.py",
        "tests/games/races/test_leaving.py",
    ),
}
#: Seconds until a test of a mutant is stopped, which counts as noticed: an endless loop is a change, too.
#: If that does not stop it, the limits below do; such a mutant counts as `timeout`.
TEST_SECONDS = 120
#: Every mutant has its own database. Its tables are created from the models: migrating takes longer than the tests.
SETTINGS = """
[tool.mutmut]
source_paths = ["accounts", "config", "games", "leaderboards"]
only_mutate = ["{module}"]
timeout_multiplier = 3.0
timeout_constant = 30.0
also_copy = ["benchmarks", "deploy", "docs", "frontend", "manage.py", "tests"]
pytest_add_cli_args = ["-p", "no:randomly", "-q", "--no-migrations", "--timeout={seconds}"]
pytest_add_cli_args_test_selection = [{tests}]
"""


def main() -> int:
    """Mutate the given modules; exit status 1 when a run failed, not when mutants survive."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", metavar="module", help=f"of {', '.join(MODULES)}; all without any")
    parser.add_argument("--sample", type=int, metavar="N", help="as many of each module's mutants, picked at random")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000), help="picks the same sample again")
    parser.add_argument("--children", type=int, default=2, help="mutants tested at once (2)")
    asked = parser.parse_args()
    if unknown := [name for name in asked.modules if name not in MODULES]:
        parser.error(f"no tests are known for {', '.join(unknown)}")
    if asked.sample:
        print(f"Samples of seed {asked.seed}.")
    failed = False
    for module in asked.modules or MODULES:
        print(f"== {module}", flush=True)
        copy = prepare(module)
        picked = pick(copy, asked.sample, asked.seed) if asked.sample else []
        command = [str(MUTMUT), "run", "--max-children", str(asked.children), *picked]
        failed = subprocess.run(command, cwd=copy, check=False).returncode != 0 or failed
        write_summary(copy)
    return int(failed)


def prepare(module: str) -> Path:
    """Create a copy of the sources in which the mutants of one module are tried."""
    copy = HOME / module.removesuffix(".py").replace("/", ".")
    copy_sources(copy)
    tests = ", ".join(f'"{test}"' for test in MODULES[module])
    with (copy / "pyproject.toml").open("a") as settings:
        settings.write(SETTINGS.format(module=module, tests=tests, seconds=TEST_SECONDS))
    return copy


def pick(copy: Path, number: int, seed: int) -> list[str]:
    """Return the names of ``number`` mutants. For an unknown mutant, mutmut generates them all and tries none."""
    subprocess.run([MUTMUT, "run", "none"], cwd=copy, capture_output=True, check=False)
    names = [name for name, _ in states(copy)]
    return random.Random(seed).sample(names, min(number, len(names)))


def copy_sources(to: Path) -> None:
    """Make a fresh copy of everything that is or could be committed."""
    shutil.rmtree(to, ignore_errors=True)
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, to / name)


def write_summary(copy: Path) -> None:
    """Count the mutants by outcome, and write the survivors with their diffs beside the copy."""
    found = states(copy)
    survivors = [name for name, state in found if state in {"survived", "no tests"}]
    counted = ", ".join(f"{state} {number}" for state, number in sorted(Counter(state for _, state in found).items()))
    summary = copy.with_name(f"{copy.name}.txt")
    summary.write_text("\n\n".join([counted, *(_mutmut(copy, "show", name) for name in survivors)]) + "\n")
    print(f"{counted}; survivors are in {summary.relative_to(ROOT)}", flush=True)


def states(copy: Path) -> list[tuple[str, str]]:
    """Return every mutant and its outcome."""
    return re.findall(r"^\s*(\S+): (.+)$", _mutmut(copy, "results", "--all", "true"), re.MULTILINE)


def _mutmut(copy: Path, *arguments: str) -> str:
    return subprocess.run([MUTMUT, *arguments], cwd=copy, capture_output=True, text=True, check=False).stdout


if __name__ == "__main__":
    sys.exit(main())
