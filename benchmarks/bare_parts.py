"""A bare Django project with Talon's applications, for comparison: `python -m benchmarks.bare_parts`.

It migrates an empty SQLite database and answers every request with one line. Of Talon's settings it has only the
required ones: the list of applications and the user model.
"""

from __future__ import annotations

import ast
import tempfile
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, make_server

import django
import django_stubs_ext
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import re_path

ROOT = Path(__file__).resolve().parent.parent


def page(_request: HttpRequest) -> HttpResponse:
    """Answer any request."""
    return HttpResponse("bare")


urlpatterns = [re_path("", page)]


class Quiet(WSGIRequestHandler):
    """A handler that logs no requests."""

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def installed_apps() -> list[str]:
    """Read Talon's list of applications without loading its settings."""
    [apps] = (
        node.value
        for node in ast.parse((ROOT / "config" / "settings.py").read_text()).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "INSTALLED_APPS"
    )
    names: list[str] = ast.literal_eval(apps)
    return names


def main() -> None:
    """Migrate, then serve until killed."""
    with tempfile.TemporaryDirectory() as folder:
        settings.configure(
            INSTALLED_APPS=installed_apps(),
            MIDDLEWARE=["allauth.account.middleware.AccountMiddleware"],
            AUTH_USER_MODEL="accounts.User",
            DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{folder}/bare.sqlite3"}},
            ROOT_URLCONF=__name__,
            ALLOWED_HOSTS=["127.0.0.1"],
            SECRET_KEY="bare",
            USE_TZ=True,
            REPLICAS=[],
            COOKIE_PREFIX="",
        )
        django_stubs_ext.monkeypatch()
        django.setup()
        call_command("migrate", verbosity=0)
        with make_server("127.0.0.1", 0, get_wsgi_application(), handler_class=Quiet) as server:
            print(f"ready at http://127.0.0.1:{server.server_port}/", flush=True)
            server.serve_forever()


if __name__ == "__main__":
    main()
