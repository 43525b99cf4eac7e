"""Proxy of `make stack`: Caddy with the routes of production's Caddyfile, for processes on this machine."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

CADDYFILE: Final = Path(__file__).with_name("Caddyfile")
PROGRAM: Final = "caddy (package caddy)"

_LOCAL_OPTIONS: Final = """{
	admin off
	grace_period 1s
	log {
		level WARN
	}
"""


def is_installed() -> bool:
    """Return True if Caddy is installed."""
    return shutil.which("caddy") is not None


def command(caddyfile: Path) -> list[str]:
    """Return the proxy's command line."""
    return ["caddy", "run", "--config", str(caddyfile), "--adapter", "caddyfile"]


def local_caddyfile(host: str, port: int, services: Mapping[str, Sequence[int]]) -> str:
    """Return production's Caddyfile for this machine: plain HTTP, and each service on ports instead of host names."""

    def addresses(found: re.Match[str]) -> str:
        return "to " + " ".join(f"127.0.0.1:{port}" for port in services[found[1]])

    text = re.sub(r"dynamic a \{\s+name (\w+)[^}]+\}", addresses, CADDYFILE.read_text())
    text = text.replace("{\n", _LOCAL_OPTIONS, 1)
    text = text.replace("{$DOMAIN} {", f"http://:{port} {{\n\tbind {host}")
    return re.sub(r".*stream_close_delay.*\n", "", text)  # used during reloads; Debian's Caddy does not know it
