"""Translation catalogues: extracts the site's texts, and updates and compiles the catalogues, with Babel's commands.

Run ``make messages``, or ``python -m frontend.messages [new language]``. Every language has two files in
``frontend/locale``, the only source of its texts: ``django.po`` for the server and ``djangojs.po`` for the client.
The compiled ``.mo`` files are committed as well. ``frontend/packages`` has texts of installed packages that the site
rewords. English texts are in the code.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, Final

from babel.messages.extract import extract_python
from babel.messages.frontend import CommandLineInterface
from django.utils.translation.template import templatize

ROOT: Final = Path(__file__).resolve().parent.parent
LOCALE: Final = "frontend/locale"
PACKAGES: Final = "frontend/packages"

#: By domain: the folders with its texts, and the functions that mark texts, besides gettext's own.
DOMAINS: Final = {
    "django": (
        ("accounts", "config", "games", "leaderboards", "frontend/templates"),
        ("gettext_lazy", "gettext_noop", "ngettext_lazy:1,2", "pgettext_lazy:1c,2"),
    ),
    "djangojs": (("frontend/static/js",), ("t", "tn:1,2", "tc:1c,2", "marked:1c,2")),
}


def extract_template(file: IO[bytes], keywords: Any, comment_tags: Any, options: Any) -> Iterator[Any]:  # noqa: ANN401
    """Extract the texts of a template for Babel: as the gettext calls that Django makes of it, without indentation."""
    calls = "\n".join(line.strip() for line in templatize(file.read().decode()).splitlines())
    return extract_python(io.BytesIO(calls.encode()), keywords, comment_tags, options)


def babel(*arguments: str) -> None:
    """Run ``pybabel`` in the project's folder."""
    with chdir(ROOT):
        CommandLineInterface().run(["pybabel", *arguments])  # type: ignore[no-untyped-call]


def extract(domain: str, template: Path) -> None:
    """Write a domain's texts in the code to a template for its catalogues."""
    folders, functions = DOMAINS[domain]
    babel(
        "--quiet",
        "extract",
        "--project=Talon",
        "--mapping=frontend/babel.cfg",
        "--add-comments=Translators:",
        "--add-location=file",
        "--sort-by-file",
        f"--output-file={template}",
        *(f"--keyword={function}" for function in functions),
        *folders,
    )


def main(new_languages: list[str]) -> None:
    """Update every catalogue from the code and compile it. Create catalogues for the languages named."""
    with TemporaryDirectory() as folder:
        for domain in DOMAINS:
            template = Path(folder, f"{domain}.pot")
            extract(domain, template)
            catalogues = f"--input-file={template}", f"--output-dir={LOCALE}", f"--domain={domain}"
            for language in new_languages:
                babel("init", *catalogues, f"--locale={language}")
            babel("update", *catalogues, "--width=120", "--ignore-obsolete", "--ignore-pot-creation-date")
    babel("compile", f"--directory={LOCALE}", f"--domain={' '.join(DOMAINS)}", "--statistics")
    babel("compile", f"--directory={PACKAGES}", "--domain=django")


if __name__ == "__main__":
    main(sys.argv[1:])
