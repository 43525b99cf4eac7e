"""`make release`: what keeps a checkout from being released, and the files it makes."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest

from deploy.distribution import CHECKSUMS, ROOT, build, obstacles
from games.rules.version import __version__

SCREEN = 30


def git(folder: Path, *command: str) -> None:
    author = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", *author, *command], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A clone of this repository, as it is committed, whose changelog begins with this version."""
    git(ROOT, "clone", "--quiet", "--depth", "1", f"file://{ROOT}", str(tmp_path / "talon"))
    (tmp_path / "talon" / "CHANGELOG.md").write_text(f"# Changelog\n\n## {__version__}\n")
    git(tmp_path / "talon", "commit", "--allow-empty", "--all", "--message", "Say what is new")
    return tmp_path / "talon"


def test_only_a_clean_tree_with_an_entry_and_a_new_tag_is_released(checkout: Path) -> None:
    assert obstacles(checkout, __version__) == []
    (entry,) = obstacles(checkout, "9.9.9")
    assert "does not begin with `## 9.9.9`" in entry
    git(checkout, "tag", f"v{__version__}")
    (checkout / "new").touch()
    changed, tag = obstacles(checkout, __version__)
    assert "The tree has changes" in changed
    assert f"The tag v{__version__} exists" in tag


def test_a_release_has_source_wheel_bill_of_materials_and_checksums(checkout: Path) -> None:
    folder = checkout / "var" / "release"
    build(checkout, __version__, folder)
    name = f"talon-{__version__}"
    wheel = f"talon_rules-{__version__}-py3-none-any.whl"
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [CHECKSUMS, f"{name}.tar.gz", f"{name}.cdx.json", wheel]
    )
    for line in (folder / CHECKSUMS).read_text().splitlines():
        digest, _, file = line.partition("  ")
        assert hashlib.sha256((folder / file).read_bytes()).hexdigest() == digest
    with tarfile.open(folder / f"{name}.tar.gz") as archive:
        assert f"{name}/docker-compose.yml" in archive.getnames()
    assert "games/rules/version.py" in ZipFile(folder / wheel).namelist()
    bom = json.loads((folder / f"{name}.cdx.json").read_text())
    assert bom["metadata"]["component"]["version"] == __version__
    pins = re.findall(r"^[a-z0-9].*==", (ROOT / "requirements" / "solver.txt").read_text(), re.MULTILINE)
    assert len(bom["components"]) == len(pins)


def test_the_changelog_of_a_release_fits_a_screen_for_players_and_for_operators() -> None:
    text = (ROOT / "CHANGELOG.md").read_text()
    latest, entry = re.split(r"^## ", text, flags=re.MULTILINE)[1].split("\n", 1)
    assert latest in {__version__, "Unreleased"}
    parts = dict(part.split("\n", 1) for part in entry.split("### ")[1:])
    assert {"Players", "Operators"} <= parts.keys()
    assert all(len(part.strip().splitlines()) <= SCREEN for part in parts.values())
