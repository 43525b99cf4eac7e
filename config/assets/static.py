"""Static files: hashed names, compressed beforehand, served by every process."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final

import brotli
from django.core.files.base import ContentFile
from django.core.files.storage import InMemoryStorage, Storage
from django.http import HttpRequest, HttpResponse
from whitenoise.compress import Compressor
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

from config.assets.bundler import join_modules, join_styles

#: Entry files bundled with their imports when static files are collected: those of the table's page.
JOINED_MODULES: Final = ("js/table/main.js", "js/table/offline/rules.js")
JOINED_STYLES: Final = ("css/at-table.css", "css/table-dialogs.css")

#: Size limit in bytes for the highest compression effort; includes everything that a table loads.
SLOWLY_COMPRESSED: Final = 160 * 1024

#: File below the static root with the digest of the sources that were collected.
SOURCES: Final = "sources.sha256"

#: Collected files: path below the static root, mapped to the file's storage and path.
Paths = dict[str, tuple[Storage, str]]


class QuickCompressor(Compressor):  # type: ignore[misc]
    """Brotli with less effort for large files: a tenth of the time, for files up to a tenth larger."""

    @staticmethod
    def compress_brotli(data: bytes) -> bytes:
        """Return the compressed bytes."""
        compressed: bytes = brotli.compress(data, quality=11 if len(data) <= SLOWLY_COMPRESSED else 9)
        return compressed


class StaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Production static files: the table's files bundled, other modules importing each other by hashed names."""

    support_js_module_import_aggregation = True
    #: One pass per level of imports between modules, at the most.
    max_post_process_passes = 10

    def post_process(self, paths: Paths, **options: Any) -> Iterator[tuple[str, str, bool]]:  # noqa: ANN401
        """Bundle the files, then hash and compress them."""
        joined = _joined(paths)
        for name in joined.keys() - paths.keys():
            # A file that others name must exist before it gets its hashed name.
            self.delete(name)
            self.save(name, joined[name][0].open(name))
        yield from super().post_process(paths | joined, **options)
        self.delete(SOURCES)
        self.save(SOURCES, ContentFile(sources_digest(paths)))

    def create_compressor(self, **options: Any) -> QuickCompressor:  # noqa: ANN401
        """Return this project's compressor. Source maps, which are for developers, are not compressed."""
        options["extensions"] = (*Compressor.SKIP_COMPRESS_EXTENSIONS, "map")
        return QuickCompressor(**options)


class StaticFiles(WhiteNoiseMiddleware):  # type: ignore[misc]
    """WhiteNoise middleware that sends each file in one piece.

    Django's ASGI handler would read a synchronous stream whole anyway, with a warning.
    """

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponse:
        """Return the file, or the response to the request's conditions and range."""
        file_response = static_file.get_response(request.method, request.META)
        content = b""
        if file_response.file is not None:
            with file_response.file:
                content = file_response.file.read()
        response = HttpResponse(content, status=int(file_response.status))
        del response["Content-Type"]
        response["X-Content-Type-Options"] = "nosniff"
        for name, value in file_response.headers:
            response[name] = value
        return response


def sources_digest(paths: Paths) -> bytes:
    """Return a digest of the source files' names and contents."""
    digest = sha256()
    for name, (storage, path) in sorted(paths.items()):
        with storage.open(path) as file:
            digest.update(name.encode() + sha256(file.read()).digest())
    return digest.hexdigest().encode()


def _joined(paths: Paths) -> Paths:
    """Return the bundled files, which replace or supplement their sources."""

    def read(name: str) -> str:
        storage, path = paths[name]
        with storage.open(path) as file:
            return str(file.read(), "utf-8")

    modules = [join_modules(entry, read) for entry in JOINED_MODULES if entry in paths]
    styles: list[dict[str, str]] = [{entry: join_styles(entry, read)} for entry in JOINED_STYLES if entry in paths]
    joined = InMemoryStorage()
    names = [
        joined.save(name, ContentFile(text.encode())) for files in (*modules, *styles) for name, text in files.items()
    ]
    return {name: (joined, name) for name in names}
