"""Every operation that takes a file refuses hostile ones with the limit named, and the server lives."""

from base64 import b64encode
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from pydantic import BaseModel
from tests.invariants.business import AS, actor
from tests.invariants.example_requests import a_request_for
from tests.support import hostile_files
from tests.support.app import App

from haulier.app import registry
from haulier.contexts.documents.public import FileUpload
from haulier.kernel.operations.declaration import DocumentRequest, Operation, Rest
from haulier.kernel.operations.enums import Feature
from haulier.kernel.values.xlsx import XLSX_TYPE

FILE_LENGTH = 200_000
"""A text that may be longer is a file."""
NOT_OPENED = {
    "create_firmware_release": "Devices read it. The server compares its digest and stores it.",
    "verify_document": "Its digest is compared and its bytes are searched for numbers.",
    "verify_webhook_signature": "Its digest is compared.",
    "ingest_epcis": "Elements and attributes are counted before it is parsed, which is linear; nothing can be declared.",
    "ingest_timelines": "JSON with a bound on its parts.",
    "receive_payment_event": "JSON of at most a megabyte, whose signature is checked first.",
    "receive_sms_event": "A form of at most 64 KB.",
}


def models(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models within a type."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from models(part)


def takes_file(model: type[BaseModel], seen: tuple[type[BaseModel], ...] = ()) -> bool:
    """Whether a request, or something in it, is a document, has base64 or has a text as long as a file."""
    if model in seen:
        return False
    if issubclass(model, DocumentRequest):
        return True
    for field in model.model_fields.values():
        extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
        longest = max((getattr(each, "max_length", 0) or 0 for each in field.metadata), default=0)
        if "contentEncoding" in extra or longest > FILE_LENGTH:
            return True
        if any(takes_file(inner, (*seen, model)) for inner in models(field.annotation)):
            return True
    return False


def takes_picture(model: type[BaseModel]) -> bool:
    """Whether a request is an uploaded file, or has one."""
    fields = model.model_fields.values()
    return issubclass(model, FileUpload) or any(
        takes_picture(each) for field in fields for each in models(field.annotation)
    )


OPERATIONS = [each for each in registry() if takes_file(each.request) and each.name not in NOT_OPENED]
DOCUMENTS = [each for each in OPERATIONS if issubclass(each.request, DocumentRequest)]
PICTURES = [each for each in OPERATIONS if takes_picture(each.request)]
TABLES = [each for each in OPERATIONS if each not in DOCUMENTS and each not in PICTURES]


async def refusal(app: App, operation: Operation[Any, Any], known: dict[str, Any]) -> tuple[int, list[str]]:
    """The status and the codes of the fields of a refused call."""
    files = {name: value for name, value in known.items() if name in operation.request.model_fields}
    asked = {**a_request_for(operation, known), **files}
    outcome = await app.call(actor(operation, AS), operation.name, asked, confirmed=True)
    assert outcome.error, operation.name
    return outcome.status, [each["code"] for each in outcome.error["errors"]]


def test_what_is_not_opened_takes_a_file() -> None:
    assert [name for name in NOT_OPENED if not takes_file(registry()[name].request)] == []


@pytest.mark.parametrize("made", hostile_files.TABLES)
async def test_a_hostile_workbook_is_refused_by_every_operation_that_takes_a_table(app: App, made: str) -> None:
    content = b64encode(hostile_files.TABLES[made]()).decode()
    known = {"content": content, "document": content, "format": "xlsx"}
    await app.answer("admin", "set_feature", {"feature": "sms_marketing", "enabled": True})
    found = {operation.name: await refusal(app, operation, known) for operation in TABLES}
    limit = {"far cell": "CELLS", "hidden far cell": "MEMORY", "inflating workbook": "UNPACKED"}[made]
    assert len(found) >= 6
    assert found == dict.fromkeys(found, (422, [f"FILE_LIMIT_{limit}"]))


@pytest.mark.parametrize("made", hostile_files.PICTURES)
async def test_a_hostile_picture_is_refused_by_every_operation_that_takes_one(app: App, made: str) -> None:
    for feature in Feature:
        await app.answer("admin", "set_feature", {"feature": feature.value, "enabled": True})
    make, code = hostile_files.PICTURES[made]
    picture = {"content": b64encode(make()).decode(), "media_type": "image/png"}
    found: dict[str, tuple[int, list[str]]] = {}
    for operation in PICTURES:
        fields = operation.request.model_fields.items()
        parts = {
            name: picture for name, field in fields if any(takes_picture(each) for each in models(field.annotation))
        }
        found[operation.name] = await refusal(app, operation, parts or picture)
    assert len(found) >= 11
    assert found == dict.fromkeys(found, (422, [code]))


async def test_a_hostile_document_is_refused_by_every_operation_that_takes_one(app: App) -> None:
    attacks = {
        XLSX_TYPE: (hostile_files.far_cell(), (422, "INVALID_REQUEST")),
        "application/geo+json": (hostile_files.many_json_objects(), (422, "INVALID_REQUEST")),
        "application/json": (hostile_files.nested_json(), (400, "IMPORT_UNREADABLE")),
        "application/vnd.google-earth.kml+xml": (hostile_files.xml_of_entities(), (400, "IMPORT_UNREADABLE")),
    }
    for operation in DOCUMENTS:
        (door,) = [each for each in operation.doors if isinstance(each, Rest)]
        query = "&".join(f"{name}=1" for name in door.query if name in ("name", "category"))
        request: type[Any] = operation.request
        for media_type in request.media_types:
            content, expected = attacks.get(media_type, (hostile_files.wide_table(), (422, "INVALID_REQUEST")))
            headers = {"Authorization": f"Bearer {app.tokens[actor(operation, AS) or '']}", "Content-Type": media_type}
            answer = await app.http.post(f"/api{door.path}?{query}", content=content, headers=headers)
            assert (answer.status_code, answer.json()["code"]) == expected, (operation.name, media_type, answer.text)
