"""Static files with caching and compression."""

import gzip
import os
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import ClassVar

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from haulier.web.script_calls import takes_gzip

PACKED = frozenset({".css", ".js", ".json", ".mjs", ".pbf", ".svg", ".wasm"})
"""Files that gzip makes much smaller."""


class CachedStaticFiles(StaticFiles):
    """Static files, cached for an hour and then revalidated.

    Compressible ones are compressed.
    """

    packed: ClassVar[frozenset[str]] = PACKED

    def file_response(
        self, full_path: PathLike[str] | str, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """A file, or 304 when it has not changed."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        asked = Headers(scope=scope)
        if response.status_code == 200 and Path(full_path).suffix in self.packed and takes_gzip(asked):
            response = _packed(str(full_path), stat_result.st_mtime_ns, response)
        response.headers["Cache-Control"] = "public, max-age=3600"
        response.headers["Vary"] = "Accept-Encoding"
        return response


def _packed(path: str, changed: int, plain: Response) -> Response:
    kept = {name: plain.headers[name] for name in ("content-type", "last-modified", "etag")}
    return Response(_gzip(path, changed), headers={**kept, "Content-Encoding": "gzip"})


@lru_cache(maxsize=256)
def _gzip(path: str, changed: int) -> bytes:
    """A file, packed once for as long as it stays as it is."""
    return gzip.compress(Path(path).read_bytes(), mtime=0)
