"""Pin the container images to their tags' current digests: `make images`. Needs Docker and access to the registry."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

FILES: Final = tuple(Path(__file__).parents[1] / name for name in ("docker-compose.yml", "Dockerfile"))
#: The image that the Dockerfile builds.
OWN: Final = "talon:latest"

_IMAGE: Final = re.compile(r"^(\s*image: |FROM )([\w./-]+:[\w.-]+)(@sha256:[0-9a-f]{64})?(?=\s|$)", re.MULTILINE)
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")


def images(text: str) -> dict[str, str]:
    """Return the external images that a file names by tag, each with its digest, or an empty string without one."""
    return {image: digest for _, image, digest in _IMAGE.findall(text) if image != OWN}


def pin(text: str, digest_of: Callable[[str], str]) -> str:
    """Append each image's current digest to its tag."""

    def pinned(found: re.Match[str]) -> str:
        return found[0] if found[2] == OWN else f"{found[1]}{found[2]}@{digest_of(found[2])}"

    return _IMAGE.sub(pinned, text)


@cache
def current_digest(image: str) -> str:
    """Return the digest of an image's index, the same on every architecture, from the registry.

    :raises SystemExit: if there is no answer.
    """
    command = ["docker", "buildx", "imagetools", "inspect", image, "--format", "{{.Manifest.Digest}}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    digest = done.stdout.strip()
    if not _DIGEST.fullmatch(digest):
        sys.exit(f"No digest of {image}: {done.stderr.strip() or digest}")
    return digest


def main() -> None:
    """Pin the images of all files, or of none."""
    texts = {path: pin(path.read_text(), current_digest) for path in FILES}
    for path, text in texts.items():
        path.write_text(text)


if __name__ == "__main__":
    main()
