"""Print a new key for `VAPID_PRIVATE_KEY`."""

from __future__ import annotations

import sys

from accounts.push.vapid_key import new_key

sys.stdout.write(f"VAPID_PRIVATE_KEY={new_key()}\n")
