"""Map tiles of installed regions, served as byte ranges of one file."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import BinaryIO

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from haulier.contexts.places.public import InstalledRegion, Regions
from haulier.web.session import app_of

MEDIA_TYPE = "application/vnd.pmtiles"
FOR_EVER = "public, max-age=31536000, immutable"
REVALIDATED = "public, no-cache"
CHUNK = 256 * 1024


def region_map_routes() -> list[BaseRoute]:
    """Return the routes of `/maps`."""
    return [
        Route("/maps/regions.json", list_region_maps),
        Route("/maps/{name}.pmtiles", serve_region_map),
    ]


async def list_region_maps(request: Request) -> Response:
    """Answer with the installed regions."""
    regions = await asyncio.to_thread(app_of(request).adapter(Regions).installed)
    return JSONResponse({"regions": [_described(region) for region in regions]}, headers={"Cache-Control": REVALIDATED})


def _described(region: InstalledRegion) -> dict[str, object]:
    return {
        "name": region.name,
        "title": region.title,
        "bounds": region.bounds,
        "center": region.center,
        "zooms": region.zooms,
        "attribution": region.attribution,
        "url": f"/maps/{region.name}.pmtiles?v={region.digest}",
        "updated_at": region.updated_at.isoformat(),
    }


async def serve_region_map(request: Request) -> Response:
    """Answer with a map file or the requested range of it."""
    region, file = await asyncio.to_thread(_open_map, app_of(request).adapter(Regions), request.path_params["name"])
    headers = {
        "ETag": f'"{region.digest}"',
        "Accept-Ranges": "bytes",
        "Cache-Control": FOR_EVER if request.query_params.get("v") == region.digest else REVALIDATED,
    }
    if headers["ETag"] in request.headers.get("if-none-match", ""):
        file.close()
        return Response(status_code=304, headers=headers)
    size = os.fstat(file.fileno()).st_size
    wanted = _requested_range(request, size, headers["ETag"])
    if wanted is not None and wanted.start >= size:
        file.close()
        return Response(status_code=416, headers=headers | {"Content-Range": f"bytes */{size}"})
    span = wanted or range(size)
    headers["Content-Length"] = str(len(span))
    if wanted is not None:
        headers["Content-Range"] = f"bytes {span.start}-{span.stop - 1}/{size}"
    status = 200 if wanted is None else 206
    if request.method == "HEAD":
        file.close()
        return Response(status_code=status, headers=headers, media_type=MEDIA_TYPE)
    return StreamingResponse(_chunks(file, span), status, headers, MEDIA_TYPE)


def _open_map(regions: Regions, name: str) -> tuple[InstalledRegion, BinaryIO]:
    """Return a region and its open file. Raises 404.

    The file stays readable when an update deletes it.
    """
    for _ in range(2):
        region = regions.find(name)
        if region is None:
            break
        try:
            return region, Path(region.map_file).open("rb")
        except FileNotFoundError:
            continue  # an update replaced it just now
    raise HTTPException(404)


def _requested_range(request: Request, size: int, etag: str) -> range | None:
    """Return the requested bytes, or None for the whole file.

    Several ranges are answered with the whole file.
    """
    text = request.headers.get("range", "")
    unit, _, span = text.partition("=")
    first, dash, last = span.strip().partition("-")
    if unit.strip() != "bytes" or not dash or not (first + last).isascii() or not (first + last).isdigit():
        return None
    if request.headers.get("if-range") not in (None, etag):
        return None
    if not first:
        return range(max(0, size - int(last)), size) if int(last) else range(size, size)
    start, stop = int(first), min(int(last) + 1, size) if last else size
    return range(start, stop) if start < stop or start >= size else None


async def _chunks(file: BinaryIO, span: range) -> AsyncIterator[bytes]:
    left = len(span)
    try:
        await asyncio.to_thread(file.seek, span.start)
        while left > 0 and (chunk := await asyncio.to_thread(file.read, min(CHUNK, left))):
            left -= len(chunk)
            yield chunk
    finally:
        file.close()
