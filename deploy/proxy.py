"""Proxy for processes on this machine: Caddy with the routes of production's Caddyfile.

`make stack` runs it. `python -m deploy.proxy talon.example.org` prints it for the systemd units.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

CADDYFILE: Final = Path(__file__).with_name("Caddyfile")
UNITS: Final = Path(__file__).with_name("systemd")
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
    """Return production's Caddyfile for this machine in plain HTTP."""
    text = _with_ports(services).replace("{\n", _LOCAL_OPTIONS, 1)
    return text.replace("{$DOMAIN} {", f"http://:{port} {{\n\tbind {host}")


def unit_caddyfile(domain: str) -> str:
    """Return production's Caddyfile for the processes and the folder of the systemd units."""
    names = re.findall(r"talon@(\w+)-(\d+)", (UNITS / "talon.target").read_text())
    services = {kind: [int(port) for name, port in names if name == kind] for kind in ("web", "tables")}
    return _with_ports(services).replace("{$DOMAIN}", domain).replace("root /srv", "root /var/lib/talon")


def _with_ports(services: Mapping[str, Sequence[int]]) -> str:
    """Return production's Caddyfile with each service on ports of this machine instead of host names."""

    def addresses(found: re.Match[str]) -> str:
        return "to " + " ".join(f"127.0.0.1:{port}" for port in services[found[1]])

    text = re.sub(r"dynamic a \{\s+name (\w+)[^}]+\}", addresses, CADDYFILE.read_text())
    return re.sub(r".*stream_close_delay.*\n", "", text)  # used during reloads; Debian's Caddy does not know it


if __name__ == "__main__":
    print(unit_caddyfile(sys.argv[1]), end="")  # noqa: T201
