"""How hypothesis runs here: the same examples on every machine that says CI, new ones elsewhere."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

EXAMPLES = settings(
    deadline=None,
    derandomize=os.environ.get("CI", "").lower() in {"1", "true", "yes"},
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    print_blob=True,
)
