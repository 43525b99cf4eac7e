"""Static files: hashed names, compressed beforehand, served by every process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import brotli
from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage
from django.http import HttpRequest, HttpResponse
from whitenoise.compress import Compressor
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

from config.joining import join_modules, join_styles

#: The files joined with their imports when they are collected: those that the table's page loads.
JOINED_MODULES: Final = ("js/table/main.js",)
JOINED_STYLES: Final = ("css/at-table.css",)

#: Files up to so many bytes are compressed with the highest effort: all that a table loads.
SLOWLY_COMPRESSED: Final = 128 * 1024

#: The files collected: path below the static root to where the file is.
Paths = dict[str, tuple[Storage, str]]


class QuickCompressor(Compressor):  # type: ignore[misc]
    """Brotli below its highest effort for what is large: a tenth of the time, for files up to a tenth larger."""

    @staticmethod
    def compress_brotli(data: bytes) -> bytes:
        """The compressed bytes."""
        compressed: bytes = brotli.compress(data, quality=11 if len(data) <= SLOWLY_COMPRESSED else 9)
        return compressed


class StaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Production's static files: the table's files joined, other modules importing each other by hashed names."""

    support_js_module_import_aggregation = True

    def post_process(self, paths: Paths, **options: Any) -> Iterator[tuple[str, str, bool]]:  # noqa: ANN401
        """Join, then hash and compress."""
        joined = _joined(paths)
        for name in joined.keys() - paths.keys():
            # A file that others name must be there before it gets its own name.
            self.delete(name)
            self.save(name, joined[name][0].open(name))
        yield from super().post_process(paths | joined, **options)

    def create_compressor(self, **options: Any) -> QuickCompressor:  # noqa: ANN401
        """This project's compressor; source maps, which are for developers, are not compressed."""
        options["extensions"] = (*Compressor.SKIP_COMPRESS_EXTENSIONS, "map")
        return QuickCompressor(**options)


class StaticFiles(WhiteNoiseMiddleware):  # type: ignore[misc]
    """Sends a file in one piece: Django's ASGI handler would read a synchronous stream whole anyway, with a warning."""

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponse:
        """The file, or the response that the request's conditions and range ask for."""
        answer = static_file.get_response(request.method, request.META)
        content = b""
        if answer.file is not None:
            with answer.file:
                content = answer.file.read()
        response = HttpResponse(content, status=int(answer.status))
        del response["Content-Type"]
        for name, value in answer.headers:
            response[name] = value
        return response


class _InMemory(Storage):
    """A storage with one text, under any name."""

    def __init__(self, text: str) -> None:
        self._text = text

    def _open(self, name: str, mode: str = "rb") -> File[bytes]:  # noqa: ARG002 - as a storage is asked
        return ContentFile(self._text.encode(), name)


def _joined(paths: Paths) -> Paths:
    """The joined files, in place of or beside those they are made from."""

    def read(name: str) -> str:
        storage, path = paths[name]
        with storage.open(path) as file:
            return str(file.read(), "utf-8")

    modules = [join_modules(entry, read) for entry in JOINED_MODULES if entry in paths]
    styles = [{entry: join_styles(entry, read)} for entry in JOINED_STYLES if entry in paths]
    return {name: (_InMemory(text), name) for files in (*modules, *styles) for name, text in files.items()}
