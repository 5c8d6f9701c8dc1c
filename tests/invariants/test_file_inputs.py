"""Operations that take a file declare a `FileInput` and take it in every form."""

import json
from base64 import b64decode, b64encode, encodebytes
from collections.abc import Mapping
from typing import Any

import pytest
from tests.invariants.business import AS, actor
from tests.invariants.example_requests import make_request_for
from tests.invariants.file_operations import DOCUMENTS, NOT_OPENED, PICTURES, TABLES, takes_file
from tests.support.app import App

from haulier.app import registry
from haulier.contexts.documents.files.contract import EXAMPLE_PNG_BASE64
from haulier.kernel.operations.declaration import Operation, Rest
from haulier.kernel.operations.enums import Feature
from haulier.kernel.operations.file_parts import find_file_places
from haulier.kernel.values.table_uploads import unpack_base64

NO_UPLOADS = set(NOT_OPENED) - {"create_firmware_release", "verify_document"}
"""Messages of machines, which are documents of their own and no uploads."""
CSV = (
    b"name,address,city,country,phone,sku,location,quantity,code\nAda,1 Front St,Toronto,CA,+14165550123,MUG,A,1,D-17\n"
)
"""A table that every import can read, whatever becomes of its row."""


def test_every_file_operation_declares_the_common_file_type() -> None:
    found = [each.name for each in registry() if takes_file(each.request) and each.name not in NO_UPLOADS]
    assert len(found) >= 20
    assert [name for name in found if not find_file_places(registry()[name].request)] == []


UNLIKE = ("id", "asyncId", "import_id", "place_import_id", "created_at", "request_id", "dataset_import_id")
"""Fields that differ between two imports of one file."""


def without_ids(answer: Any) -> Any:
    """Return an answer without what differs between two imports of one file."""
    if isinstance(answer, Mapping):
        return {name: without_ids(each) for name, each in answer.items() if name not in UNLIKE}
    return [without_ids(each) for each in answer] if isinstance(answer, list) else answer


def path_of(operation: Operation[Any, Any], asked: dict[str, Any]) -> str:
    """Return the path of an operation, and take its fields out of a request."""
    (path,) = [each.path for each in operation.interfaces if isinstance(each, Rest)]
    for name in [each for each in asked if f"{{{each}}}" in path]:
        path = path.replace(f"{{{name}}}", str(asked.pop(name)))
    return f"/api{path}"


async def send(app: App, who: str, path: str, **sent: Any) -> tuple[int, Any]:
    """Send a request. Returns its status and its answer without ids."""
    token = {"Authorization": f"Bearer {app.tokens[who]}"} if who else {}
    headers = {**token, **sent.pop("headers", {})}
    answer = await app.http.post(path, headers=headers, **sent)
    return answer.status_code, without_ids(answer.json())


def form_fields(asked: Mapping[str, Any]) -> dict[str, str]:
    """Return fields as parts of a form: objects and lists as JSON."""
    return {name: each if isinstance(each, str) else json.dumps(each) for name, each in asked.items()}


@pytest.mark.parametrize("operation", TABLES, ids=lambda each: each.name)
async def test_a_table_is_accepted_in_every_format(app: App, operation: Operation[Any, Any]) -> None:
    await app.answer("admin", "set_feature", {"feature": "sms_marketing", "enabled": True})
    schema = {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]}
    made = {"name": "Docks", "record_schema": schema, "key_field": "code"}
    dataset = (await app.answer("admin", "create_dataset", made)).dataset.id
    ((name, _),) = find_file_places(operation.request).items()
    asked = {**make_request_for(operation, {"dataset_id": dataset}), "format": "csv"}
    asked.pop(name, None)
    path, who = path_of(operation, asked), actor(operation, AS) or ""
    bare, fields = {each: asked[each] for each in asked if each != "format"}, form_fields(asked)
    found = {
        "text": await send(app, who, path, json={**asked, name: CSV.decode()}),
        "base64": await send(app, who, path, json={**asked, name: b64encode(CSV).decode()}),
        "file": await send(app, who, path, data=form_fields(bare), files={"file": ("a.csv", CSV, "text/csv")}),
        "part": await send(app, who, path, data=fields, files={name: ("a.csv", CSV, "text/csv")}),
    }
    assert found["text"][0] == 200, found["text"]
    assert found == dict.fromkeys(found, found["text"])


@pytest.mark.parametrize("operation", TABLES, ids=lambda each: each.name)
async def test_an_excel_file_sent_as_text_is_refused_with_the_accepted_formats(
    app: App, operation: Operation[Any, Any]
) -> None:
    await app.answer("admin", "set_feature", {"feature": "sms_marketing", "enabled": True})
    ((name, _),) = find_file_places(operation.request).items()
    asked = {**make_request_for(operation, {}), "format": "xlsx", name: "sku,name\nMUG,Mug\n"}
    outcome = await app.call(actor(operation, AS), operation.name, asked)
    assert outcome.error
    assert outcome.status == 422
    fault = outcome.error["errors"][0]
    assert (fault["field"], fault["code"]) == (name, "NOT_BASE64")
    assert "multipart/form-data" in fault["message"]


@pytest.mark.parametrize("operation", PICTURES, ids=lambda each: each.name)
async def test_a_picture_is_accepted_as_json_and_as_a_form(app: App, operation: Operation[Any, Any]) -> None:
    for feature in Feature:
        await app.answer("admin", "set_feature", {"feature": feature.value, "enabled": True})
    (place,) = find_file_places(operation.request).values()
    content = b64decode(EXAMPLE_PNG_BASE64)[:-20]
    picture = {"content": b64encode(content).decode(), "media_type": "image/png"}
    asked = make_request_for(operation, {})
    for name in (place.field, *picture):
        asked.pop(name or "", None)
    path, who = path_of(operation, asked), actor(operation, AS) or ""
    in_json = await send(app, who, path, json={**asked, **({place.field: picture} if place.field else picture)})
    files = {"file": ("a.png", content, "image/png")}
    assert await send(app, who, path, data=form_fields(asked), files=files) == in_json
    assert (in_json[0], in_json[1]["errors"][0]["code"]) == (422, "PICTURE_DAMAGED")


@pytest.mark.parametrize("operation", DOCUMENTS, ids=lambda each: each.name)
async def test_a_document_is_accepted_bare_and_as_a_form(app: App, operation: Operation[Any, Any]) -> None:
    point = {"type": "Point", "coordinates": [-79.38, 43.65]}
    content = json.dumps(
        {"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": point, "properties": {"name": "A"}}]}
    )
    path, who = path_of(operation, {}), actor(operation, AS) or ""
    query = "?name=Map" if operation.name == "import_zones" else ""
    kind = {"Content-Type": "application/geo+json"}
    bare = await send(app, who, path + query, content=content, headers=kind)
    files = {"file": ("places.geojson", content.encode(), "application/octet-stream")}
    fields = {"name": "Map 2"} if query else {}
    form = await send(app, who, path, data=fields, files=files)
    assert bare[0] == form[0] == 200, (bare, form)
    assert bare[1]["rows"] == form[1]["rows"] == 1


async def test_an_unknown_file_part_is_reported(app: App) -> None:
    files = {"upload": ("a.csv", CSV, "text/csv")}
    status, answer = await send(app, "admin", "/api/v1/address-imports", files=files)
    assert (status, answer["errors"][0]["field"]) == (422, "upload")
    assert answer["errors"][0]["message"] == "Unknown file part. Send the file as file."


async def test_a_malformed_form_is_refused(app: App) -> None:
    kind = {"Content-Type": "multipart/form-data"}
    status, answer = await send(app, "admin", "/api/v1/address-imports", content=b"x", headers=kind)
    assert (status, answer["errors"][0]["code"]) == (422, "MULTIPART_MALFORMED")


async def test_a_form_is_refused_by_operations_without_files(app: App) -> None:
    status, _ = await send(app, "admin", "/api/v1/drivers", files={"file": ("a.csv", CSV, "text/csv")})
    assert status == 415


@pytest.mark.parametrize(
    "text",
    ["name\nAnna\nBert\n", "sku,name\nA,B\n", "phone\n14165550123\n", "[]", "naïve\n"],
)
def test_plain_text_is_not_accepted_as_base64(text: str) -> None:
    assert unpack_base64(text) is None


@pytest.mark.parametrize("content", [CSV, CSV.decode().encode("utf-16"), "Straße;Ort\nä;ö\n".encode("cp1252") * 9])
def test_base64_is_accepted_with_and_without_line_breaks(content: bytes) -> None:
    assert unpack_base64(b64encode(content).decode()) == content
    assert unpack_base64(encodebytes(content).decode()) == content
