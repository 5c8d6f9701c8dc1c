"""Operations and schemas of the OpenAPI document."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

DOCUMENT = Path(__file__).parents[2] / "published" / "openapi.json"
METHODS = ("get", "post", "put", "patch", "delete")
JSON, STREAM = "application/json", "text/event-stream"

Schema = dict[str, Any]


class Param(Struct, frozen=True):
    """A path or query parameter."""

    key: str
    schema: Schema
    required: bool

    @property
    def name(self) -> str:
        """Its name in snake case."""
        return snake(self.key)


class Pages(Struct, frozen=True):
    """The member with the records of a page, and the way to the next."""

    key: str
    item: Schema
    by_cursor: bool


class Operation(Struct, frozen=True, kw_only=True):
    """One operation of the REST API."""

    name: str
    group: str
    method: str
    path: str
    doc: str
    in_path: tuple[Param, ...]
    query: tuple[Param, ...]
    body: Schema | None
    body_required: bool
    answer: Schema | None
    files: tuple[str, ...]
    """Media types that can be requested instead of JSON."""
    has_key: bool
    """True if the operation takes an `Idempotency-Key`."""
    pages: Pages | None


class Contract:
    """The document with its references resolved."""

    def __init__(self, document: Schema) -> None:
        self.document = document
        self.schemas: dict[str, Schema] = document["components"]["schemas"]

    def resolve(self, part: Schema | None) -> Schema:
        """Return a part of the document, or the component that it refers to."""
        if part and "$ref" in part:
            _, _, kind, name = part["$ref"].split("/")
            return self.document["components"][kind][name]
        return part or {}

    def groups(self) -> dict[str, list[Operation]]:
        """Return the operations by group, both in alphabetical order."""
        found: dict[str, list[Operation]] = {}
        for operation in self.operations():
            found.setdefault(operation.group, []).append(operation)
        return {name: sorted(found[name], key=lambda each: each.name) for name in sorted(found)}

    def operations(self) -> Iterator[Operation]:
        """Yield all operations except live streams, which lists repeat."""
        for path, item in self.document["paths"].items():
            for method in METHODS:
                if method in item and STREAM not in self._answer(item[method])[1]:
                    yield self._operation(method, path, item[method])

    def _operation(self, method: str, path: str, raw: Schema) -> Operation:
        params = [self.resolve(each) for each in raw.get("parameters", ())]
        made = {each["name"]: self._param(each) for each in params}
        schema, files = self._answer(raw)
        content = raw.get("requestBody", {}).get("content", {})
        query = tuple(made[each["name"]] for each in params if each["in"] == "query")
        return Operation(
            name=raw["operationId"],
            group=snake(raw["tags"][0]),
            method=method.upper(),
            path=path,
            doc=raw["summary"],
            in_path=tuple(made[name] for name in re.findall(r"{(\w+)}", path)),
            query=query,
            body=content[JSON]["schema"] if JSON in content else None,
            body_required=raw.get("requestBody", {}).get("required", False),
            answer=schema,
            files=tuple(each for each in files if each != JSON),
            has_key="Idempotency-Key" in made,
            pages=self._pages({each.key for each in query}, self.resolve(schema)),
        )

    def _param(self, raw: Schema) -> Param:
        return Param(raw["name"], raw.get("schema", {}), raw.get("required", False))

    def _answer(self, raw: Schema) -> tuple[Schema | None, tuple[str, ...]]:
        """Return the schema of success and the media types that it has."""
        status = min(code for code in raw["responses"] if code.startswith("2"))
        content = self.resolve(raw["responses"][status]).get("content", {})
        return content.get(JSON, {}).get("schema"), tuple(content)

    def _pages(self, names: set[str], answer: Schema) -> Pages | None:
        members = answer.get("properties", {})
        lists = {key: value for key, value in members.items() if self.resolve(value).get("type") == "array"}
        by_cursor = "cursor" in names and "next_cursor" in members
        if len(lists) != 1 or not (by_cursor or "page" in names):
            return None
        ((key, value),) = lists.items()
        return Pages(key, self.resolve(value).get("items", {}), by_cursor)


def load(document: Path = DOCUMENT) -> Contract:
    """Return the contract of a document."""
    return Contract(json.loads(document.read_text()))


def snake(name: str) -> str:
    """Return a name in snake case: `SMS Marketing` becomes `sms_marketing`."""
    return re.sub(r"\W+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)).lower()


def pascal(name: str) -> str:
    """Return a name in Pascal case."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[\W_]+", name))


def camel(name: str) -> str:
    """Return a snake-case name in camel case."""
    made = pascal(name)
    return made[:1].lower() + made[1:]
