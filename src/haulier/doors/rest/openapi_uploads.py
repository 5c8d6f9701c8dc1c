"""The multipart form of operations that take a file, in the OpenAPI description."""

from collections.abc import Collection, Mapping
from typing import Any

from haulier.doors.rest.multipart import FILE_PART, MULTIPART
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.file_parts import FilePlace, find_file_places

Schema = dict[str, Any]
_FILE: Schema = {"type": "string", "contentMediaType": "application/octet-stream"}
_FROM_FILE = frozenset({"name", "file_name", "media_type", "format"})
"""Fields that the name and type of a file fill."""


def multipart_content(
    request: type[Request], properties: Mapping[str, Schema], required: Collection[str], aside: Collection[str]
) -> Schema:
    """Return the content of a request body by media type; empty without files."""
    places = find_file_places(request)
    if not places:
        return {}
    parts = {name: part for name, part in properties.items() if name not in aside}
    needed = {name for name in required if name in parts}
    for name, place in places.items():
        shown = FILE_PART if len(places) == 1 else name
        if name in needed or request.is_document:
            needed = (needed - {name}) | {shown}
        if place.field is None:
            needed -= _FROM_FILE
        parts.pop(name, None)
        parts[shown] = _part_schema(place)
    schema = {"type": "object", "properties": parts, "required": sorted(needed)}
    return {MULTIPART: {"schema": schema}}


def _part_schema(place: FilePlace) -> Schema:
    return {"type": "array", "items": dict(_FILE)} if place.many else dict(_FILE)
