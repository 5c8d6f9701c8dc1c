"""The OpenAPI description suits generated clients and describes types correctly.

`make prove-clients` generates clients and calls a server with them; its findings are rules here.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.descriptions import described_schemas, openapi, with_parameters

RESERVED = {
    "Any", "Array", "Blob", "Boolean", "Configuration", "Date", "Dict", "Error", "File", "FormData", "Function", "List",
    "Map", "Number", "Object", "Optional", "Promise", "Record", "Request", "Response", "Set", "String", "Union",
}  # fmt: skip
"""Names that a language, or what generators put beside the schemas, has already."""


def parts(document: Any, path: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield every object of a document with its path."""
    if isinstance(document, dict):
        yield path, document
    inside = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for name, part in inside:
        yield from parts(part, f"{path}/{name}")


def one_word(name: str) -> str:
    """Normalize a name that generators write in another case."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def test_every_schema_is_referenced() -> None:
    components = openapi()["components"]
    reached, waiting = set[str](), [openapi()["paths"]]
    while waiting:
        for _, part in parts(waiting.pop()):
            address = str(part.get("$ref", ""))
            if address and address not in reached:
                reached.add(address)
                kind, name = address.split("/")[-2:]
                waiting.append(components[kind][name])
    shared = {kind: parts for kind, parts in components.items() if kind != "securitySchemes"}
    assert {f"#/components/{kind}/{name}" for kind, parts in shared.items() for name in parts} == reached


def test_no_default_is_null() -> None:
    assert [path for path, part in parts(openapi()) if part.get("default", ...) is None] == []


def test_responses_declare_members_that_are_always_present() -> None:
    order = described_schemas()["OrderBatchStarted"]
    assert order["required"] == ["result", "asyncId", "total", "refused"]
    assert "default" not in order["properties"]["result"]
    assert "price_hidden" not in described_schemas()["OrderDetail"]["required"]
    assert "hint" not in described_schemas()["ValidationFinding"]["required"]


def test_path_query_and_header_parameters_are_never_null() -> None:
    faults = [
        f"{path}: {parameter['name']}"
        for path, entry in parts(with_parameters(openapi()))
        for parameter in entry.get("parameters", ())
        if any(part.get("type") == "null" for _, part in parts(parameter["schema"]))
    ]
    assert faults == []


def test_schema_names_are_plain_and_unambiguous() -> None:
    assert [name for name in described_schemas() if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", name)] == []
    assert described_schemas().keys() & RESERVED == set()


def test_schema_names_differ_in_more_than_case() -> None:
    faults = list[str]()
    if len({one_word(name) for name in described_schemas()}) < len(described_schemas()):
        faults.append("schemas")
    for path, part in parts(described_schemas()):
        names = part["properties"] if isinstance(part.get("properties"), dict) else {}
        if len({one_word(name) for name in names}) < len(names):
            faults.append(path)
    assert faults == []


def test_no_record_has_a_member_with_its_own_name() -> None:
    faults = [
        name
        for name, schema in described_schemas().items()
        if one_word(name) in {one_word(member) for member in schema.get("properties", ())}
    ]
    assert faults == []


def test_required_members_are_described() -> None:
    faults = [
        path
        for path, part in parts(openapi())
        if isinstance(part.get("required"), list)
        and "properties" in part
        and set(part["required"]) - part["properties"].keys()
    ]
    assert faults == []


def test_one_body_with_several_media_types_has_one_schema() -> None:
    content = openapi()["paths"]["/v1/otep/ingest/epcis"]["post"]["requestBody"]["content"]
    assert (
        content["application/json"]
        == content["application/ld+json"]
        == {"schema": {"$ref": "#/components/schemas/EpcisDocument"}}
    )


def test_every_area_has_a_description() -> None:
    assert [tag["name"] for tag in openapi()["tags"] if len(tag["description"]) < 20] == []
