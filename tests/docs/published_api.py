"""Operations, fields and responses of the published OpenAPI document."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from tests.docs.blocks import ROOT

Schema = dict[str, Any]
METHODS = {"get", "post", "put", "patch", "delete"}
VALUES = {"default", "example", "examples"}
"""Members of a schema that are values."""


class Published(NamedTuple):
    """An operation of the document."""

    path: str
    entry: Schema

    @property
    def name(self) -> str:
        return self.entry["operationId"]

    @property
    def role(self) -> str:
        return self.entry["x-haulier"].get("role", "")

    def parameters(self, *places: str) -> dict[str, Schema]:
        """Return the schemas of parameters in some places, by name."""
        found = [resolve(each) for each in self.entry.get("parameters", ())]
        return {each["name"]: each["schema"] for each in found if each["in"] in places}

    def response(self) -> dict[str, Schema]:
        """Return the schemas of the successful response, by media type."""
        (status,) = [each for each in self.entry["responses"] if each in {"200", "201", "202"}]
        content = resolve(self.entry["responses"][status]).get("content", {})
        return {media_type: part.get("schema", {}) for media_type, part in content.items()}


class Field(NamedTuple):
    """A field of a named schema, or a field or parameter of an operation."""

    name: str
    schema: Schema
    place: str = ""

    def types(self) -> set[tuple[str, str]]:
        """Return the types apart from null, each with its format."""
        found = [(part["type"], part.get("format", "")) for part in variants(self.schema) if "type" in part]
        return {each for each in found if each[0] != "null"}


@cache
def document() -> Schema:
    """Return the published document."""
    return json.loads((ROOT / "published/openapi.json").read_text())


def operations() -> Iterator[Published]:
    """Yield every operation."""
    for path, entries in document()["paths"].items():
        yield from (Published(path, entry) for method, entry in entries.items() if method in METHODS)


def fields() -> Iterator[Field]:
    """Yield every field of a schema and every path and query parameter."""
    for name, schema in document()["components"]["schemas"].items():
        yield from _fields_below(schema, name)
    for each in operations():
        yield from _fields_below(each.entry, each.name)
        yield from (Field(name, schema, each.name) for name, schema in each.parameters("path", "query").items())


def _fields_below(part: Any, place: str) -> Iterator[Field]:
    if isinstance(part, list):
        for each in part:
            yield from _fields_below(each, place)
    if isinstance(part, dict):
        for name, each in part.items():
            if name == "properties" and isinstance(each, dict):
                yield from (Field(field, schema, place) for field, schema in each.items())
                yield from _fields_below(list(each.values()), place)
            elif name not in VALUES:
                yield from _fields_below(each, place)


def resolve(schema: Schema) -> Schema:
    """Return what a reference refers to."""
    while "$ref" in schema:
        found: Any = document()
        for step in schema["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        schema = found
    return schema


def variants(schema: Schema) -> Iterator[Schema]:
    """Yield the alternatives of a schema, without references."""
    schema = resolve(schema)
    parts = [*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())]
    if parts:
        for part in parts:
            yield from variants(part)
    else:
        yield schema
