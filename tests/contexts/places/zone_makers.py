"""Makers for the tests of places."""

import json
from typing import Any

from tests.support.app import App

UNION = (43.6453, -79.3806)


def make_square(west: float, south: float, size: float = 0.1) -> dict[str, Any]:
    """A square as GeoJSON, by its south-west corner, in degrees."""
    east, north = round(west + size, 6), round(south + size, 6)
    return {
        "type": "Polygon",
        "coordinates": [[[west, south], [east, south], [east, north], [west, north], [west, south]]],
    }


async def make_point(app: App, who: str = "admin", **words: Any) -> Any:
    """A point of interest at Union Station."""
    asked = {"name": "Union lockers", "category": "locker", "lat": UNION[0], "lng": UNION[1], **words}
    return (await app.answer(who, "create_point_of_interest", asked)).point_of_interest


async def import_document(app: App, path: str, document: Any, media_type: str, who: str = "admin") -> Any:
    """Send a document to be imported; the answer of the door."""
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    headers = {"Authorization": f"Bearer {app.tokens[who]}", "Content-Type": media_type}
    return await app.http.post(f"/api{path}", content=body, headers=headers)


async def import_and_read(app: App, path: str, document: Any, media_type: str) -> tuple[Any, list[Any]]:
    """Import a document, process it, and return its result and outcomes."""
    started = (await import_document(app, path, document, media_type)).json()
    await app.work_off()
    done = await app.answer("admin", "get_place_import", {"place_import_id": started["place_import_id"]})
    return done.place_import, done.outcomes


async def code_of(app: App, who: str, operation: str, values: dict[str, Any]) -> str:
    """The code of the error of a call that must fail."""
    error = (await app.call(who, operation, values)).error
    assert error is not None
    return error["code"]
