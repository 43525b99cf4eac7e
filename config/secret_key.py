"""Secret key of an installation that has none in its environment."""

from __future__ import annotations

import fcntl
import os
import secrets
from pathlib import Path


def stored_secret_key(path: Path) -> str:
    """Return the key stored in `path`, generated on first use and readable by its owner only.

    The lock gives two processes that start together the same key.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        key = file.read().strip()
        if not key:
            key = secrets.token_urlsafe(64)
            file.write(f"{key}\n")
        return key
