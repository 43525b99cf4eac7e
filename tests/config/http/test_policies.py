"""Policy headers of every response."""

from __future__ import annotations

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db
PATHS = pytest.mark.parametrize("path", ["/", "/nowhere/", "/api/v1/deals"])


@PATHS
def test_content_security_policy_allows_no_inline_script(client: Client, path: str) -> None:
    policy = set(client.get(path).headers["Content-Security-Policy"].split("; "))
    assert {"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"} <= policy


@PATHS
def test_permissions_policy_denies_devices_but_not_passkeys(client: Client, path: str) -> None:
    policy = client.get(path).headers["Permissions-Policy"].split(", ")
    assert {"camera=()", "microphone=()", "geolocation=()", "payment=()"} <= set(policy)
    assert not any(feature.startswith(("publickey-credentials", "clipboard", "web-share")) for feature in policy)
