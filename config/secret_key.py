"""Secret key of an installation that has none in its environment."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def stored_secret_key(path: Path) -> str:
    """Return the key stored in `path`, generated on first use and readable by its owner only.

    Two processes that start together get the same key: a hard link puts the complete file in place, and only one
    process can create it.
    """
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        pass
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(64) + "\n")
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    return path.read_text().strip()
