"""File operations refuse hostile files, name the limit, and keep the server up."""

from base64 import b64encode
from typing import Any

import pytest
from tests.invariants.business import AS, actor
from tests.invariants.example_requests import make_request_for
from tests.invariants.file_operations import DOCUMENTS, NOT_OPENED, PICTURES, TABLES, models, takes_file, takes_picture
from tests.support import hostile_files
from tests.support.app import App

from haulier.app import registry
from haulier.kernel.operations.declaration import Operation, Rest
from haulier.kernel.operations.enums import Feature
from haulier.kernel.values.xlsx import XLSX_TYPE


async def refusal(app: App, operation: Operation[Any, Any], known: dict[str, Any]) -> tuple[int, list[str]]:
    """Return the status and the field error codes of a refused call."""
    files = {name: value for name, value in known.items() if name in operation.request.model_fields}
    asked = {**make_request_for(operation, known), **files}
    outcome = await app.call(actor(operation, AS), operation.name, asked, confirmed=True)
    assert outcome.error, operation.name
    return outcome.status, [each["code"] for each in outcome.error["errors"]]


def test_excluded_operations_take_a_file() -> None:
    assert [name for name in NOT_OPENED if not takes_file(registry()[name].request)] == []


@pytest.mark.parametrize("made", hostile_files.TABLES)
async def test_a_hostile_spreadsheet_is_refused_by_every_table_operation(app: App, made: str) -> None:
    content = b64encode(hostile_files.TABLES[made]()).decode()
    known = {"content": content, "document": content, "format": "xlsx"}
    await app.answer("admin", "set_feature", {"feature": "sms_marketing", "enabled": True})
    found = {operation.name: await refusal(app, operation, known) for operation in TABLES}
    limit = {"far cell": "CELLS", "hidden far cell": "MEMORY", "inflating workbook": "UNPACKED"}[made]
    assert len(found) >= 6
    assert found == dict.fromkeys(found, (422, [f"FILE_LIMIT_{limit}"]))


@pytest.mark.parametrize("made", hostile_files.PICTURES)
async def test_a_hostile_picture_is_refused_by_every_picture_operation(app: App, made: str) -> None:
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


async def test_a_hostile_document_is_refused_by_every_document_operation(app: App) -> None:
    attacks = {
        XLSX_TYPE: (hostile_files.far_cell(), (422, "INVALID_REQUEST")),
        "application/geo+json": (hostile_files.many_json_objects(), (422, "INVALID_REQUEST")),
        "application/json": (hostile_files.nested_json(), (400, "IMPORT_UNREADABLE")),
        "application/vnd.google-earth.kml+xml": (hostile_files.xml_of_entities(), (400, "IMPORT_UNREADABLE")),
    }
    for operation in DOCUMENTS:
        (interface,) = [each for each in operation.interfaces if isinstance(each, Rest)]
        query = "&".join(f"{name}=1" for name in interface.query if name in ("name", "category"))
        request: type[Any] = operation.request
        for media_type in request.media_types:
            content, expected = attacks.get(media_type, (hostile_files.wide_table(), (422, "INVALID_REQUEST")))
            headers = {"Authorization": f"Bearer {app.tokens[actor(operation, AS) or '']}", "Content-Type": media_type}
            answer = await app.http.post(f"/api{interface.path}?{query}", content=content, headers=headers)
            assert (answer.status_code, answer.json()["code"]) == expected, (operation.name, media_type, answer.text)
