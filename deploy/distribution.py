"""Files of a release: `make release` checks the tree, and writes them to `var/release/VERSION`.

They are the source archive, the wheel of the rules, a bill of materials in CycloneDX, checksums and, if a container
engine runs, the image `talon:VERSION`.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from games.rules.version import __version__

ROOT: Final = Path(__file__).parents[1]
CHECKSUMS: Final = "SHA256SUMS"
#: Checks that take too long for `make test`, and the command that makes the release public.
STEPS: Final = """
Before you publish {version}, run:
  make test
  .venv/bin/python -m tests.upgrades
  make soak MINUTES=30
  make fairplay
  make mutate MUTANTS=20
Then: git tag --annotate v{version} --message "Talon {version}" && git push origin v{version}"""


def obstacles(root: Path, version: str) -> list[str]:
    """Return why the checkout cannot be released as this version, each with what to do."""
    found = []
    latest = re.search(r"^## (.+)$", (root / "CHANGELOG.md").read_text(), re.MULTILINE)
    if latest is None or latest[1] != version:
        found.append(f"CHANGELOG.md does not begin with `## {version}`: say what this release changes.")
    if _git(root, "status", "--porcelain"):
        found.append("The tree has changes: commit or discard them.")
    if _git(root, "tag", "--list", f"v{version}"):
        found.append(f"The tag v{version} exists: raise the version in games/rules/version.py.")
    return found


def build(root: Path, version: str, folder: Path) -> None:
    """Write the files of a release and their checksums to a new folder. The same commit gives the same files."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    name = f"talon-{version}"
    _git(root, "archive", "--format=tar.gz", f"--prefix={name}/", f"--output={folder / name}.tar.gz", "HEAD")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)],
        cwd=root / "games",
        env={**os.environ, "SOURCE_DATE_EPOCH": _git(root, "log", "-1", "--format=%ct")},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    (folder / f"{name}.cdx.json").write_text(bill_of_materials(version, (root / "requirements/solver.txt").read_text()))
    sums = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}
    (folder / CHECKSUMS).write_text("".join(f"{digest}  {file}\n" for file, digest in sums.items()))


def bill_of_materials(version: str, lock: str) -> str:
    """Return the locked packages of the image as CycloneDX JSON."""
    talon = Component(name="talon", version=version, type=ComponentType.APPLICATION, bom_ref="talon")
    bom = Bom()
    bom.metadata.component = talon
    for name, pin in re.findall(r"^([a-z0-9][\w.-]*)(?:\[.*\])?==([^ ;]+)", lock, re.MULTILINE):
        url = PackageURL("pypi", None, name, pin)
        package = Component(name=name, version=pin, type=ComponentType.LIBRARY, purl=url, bom_ref=url.to_string())
        bom.components.add(package)
        bom.register_dependency(talon, [package])
    return JsonV1Dot6(bom).output_as_string(indent=1)


def build_image(root: Path, version: str) -> None:
    """Build the image `talon:VERSION`, or say that no container engine runs."""
    docker = shutil.which("docker")
    if docker is None or subprocess.run([docker, "info"], capture_output=True, check=False).returncode:
        print("No image: no container engine runs here.")  # noqa: T201
        return
    subprocess.run([docker, "build", "--tag", f"talon:{version}", "."], cwd=root, check=True)


def _git(root: Path, *arguments: str) -> str:
    command = ["git", *arguments]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.strip()


def main() -> None:
    """Build the release of this checkout."""
    if found := obstacles(ROOT, __version__):
        sys.exit("\n".join(found))
    folder = ROOT / "var" / "release" / __version__
    build(ROOT, __version__, folder)
    build_image(ROOT, __version__)
    print(f"{folder}:", *sorted(path.name for path in folder.iterdir()), sep="\n  ")  # noqa: T201
    print(STEPS.format(version=__version__))  # noqa: T201


if __name__ == "__main__":
    main()
