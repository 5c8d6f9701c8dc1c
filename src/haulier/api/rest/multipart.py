"""Requests with files, sent as `multipart/form-data`.

A part with a file name is the file of a field. Its name can be `file` if the operation takes one file. Other parts are
fields by name. A file's name and media type are the defaults for `file_name`, `name`, `media_type` and `format`.
"""

from base64 import b64encode
from collections.abc import AsyncGenerator, Mapping, Sequence
from mimetypes import guess_type
from pathlib import PurePath
from typing import Any, NamedTuple

from pydantic import BaseModel
from starlette.datastructures import FormData, Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import DocumentRequest, Request
from haulier.kernel.operations.errors import INVALID_REQUEST, UNSUPPORTED_MEDIA_TYPE, FieldError
from haulier.kernel.operations.file_parts import FilePlace, find_file_places

MULTIPART = "multipart/form-data"
FILE_PART = "file"
MAX_PARTS = 200
_TYPES = {"csv": "text/csv", "geojson": "application/geo+json", "kml": "application/vnd.google-earth.kml+xml"}
"""Media types by file extension that the platform may not know."""


class ReadForm(NamedTuple):
    """A multipart form as a request: body, strings by field, errors of parts."""

    body: bytes
    texts: dict[str, Any]
    faults: Sequence[FieldError]


class _File(NamedTuple):
    content: bytes
    name: str
    media_type: str


async def read_multipart(body: bytes, content_type: str, request: type[Request]) -> ReadForm:
    """Parse the form of an operation that takes files.

    Raises `INVALID_REQUEST` for a malformed form, and `UNSUPPORTED_MEDIA_TYPE` for a document of a type that is not
    accepted.
    """
    places = find_file_places(request)
    form = await _parse_form(body, content_type)
    texts: dict[str, Any] = {}
    document: dict[str, Any] = {}
    faults: list[FieldError] = []
    bare = b""
    for name, part in form.multi_items():
        if isinstance(part, str):
            target = texts if request.is_document else document
            target[name] = part if request.is_document else codec.read_form_text(request, name, part)
            continue
        file = await _read_file(part, request)
        place = _find_place(name, places)
        if not (file.name or file.content):
            continue  # browsers send an empty part if no file is chosen
        if place is None:
            faults.append(FieldError(name, "field.multipart_part", {"expected": ", ".join(_part_names(places))}))
        elif issubclass(request, DocumentRequest):
            require_document_type(file.media_type, request)
            bare, texts["content_type"] = file.content, file.media_type
        else:
            _add_file(place, file, document)
    await form.close()
    return ReadForm(bare if request.is_document else codec.encode_json(document), texts, faults)


async def _parse_form(body: bytes, content_type: str) -> FormData:
    async def stream() -> AsyncGenerator[bytes, None]:
        yield body

    parser = MultiPartParser(
        Headers({"content-type": content_type}),
        stream(),
        max_files=MAX_PARTS,
        max_fields=MAX_PARTS,
        max_part_size=len(body) + 1,
    )
    try:
        return await parser.parse()
    except (MultiPartException, KeyError, ValueError):
        raise INVALID_REQUEST.for_fields(FieldError(FILE_PART, "field.multipart_malformed")) from None


def _find_place(name: str, places: Mapping[str, FilePlace]) -> FilePlace | None:
    if name == FILE_PART and len(places) == 1:
        return next(iter(places.values()))
    return places.get(name)


def _part_names(places: Mapping[str, FilePlace]) -> list[str]:
    return [FILE_PART] if len(places) == 1 else sorted(places)


async def _read_file(part: UploadFile, request: type[Request]) -> _File:
    """Read a file.

    Its name determines the type if the declared type is missing or not accepted.
    """
    name = PurePath((part.filename or "").replace("\\", "/")).name
    declared = (part.content_type or "").partition(";")[0].strip().lower()
    named = _TYPES.get(PurePath(name).suffix.removeprefix(".").lower()) or guess_type(name)[0]
    untyped = declared in ("", "application/octet-stream")
    foreign = issubclass(request, DocumentRequest) and declared not in request.media_types
    return _File(await part.read(), name, named if named and (untyped or foreign) else declared)


def require_document_type(media_type: str, request: type[DocumentRequest]) -> None:
    """Raise `UNSUPPORTED_MEDIA_TYPE` for a type that the document cannot have."""
    if media_type not in request.media_types:
        allowed = {"allowed": ", ".join(request.media_types)}
        raise UNSUPPORTED_MEDIA_TYPE.for_fields(FieldError("Content-Type", "field.media_type", allowed))


def _add_file(place: FilePlace, file: _File, document: dict[str, Any]) -> None:
    """Add a file to the document, with its name and type if the fields exist."""
    facts = {
        "name": file.name,
        "file_name": file.name,
        "media_type": file.media_type,
        "format": PurePath(file.name).suffix.removeprefix(".").lower(),
    }
    known = {name: value for name, value in facts.items() if value and _takes(place.model, name, value)}
    values = {**known, place.model.file_field: b64encode(file.content).decode()}
    if place.field is None:
        document.update({**values, **document})
    elif place.many:
        document.setdefault(place.field, []).append(values)
    else:
        document[place.field] = values


def _takes(model: type[BaseModel], name: str, value: str) -> bool:
    return name in model.model_fields and codec.fits_field(model, name, value)
