"""Generator of `docs/reference/operations`, a reference of all operations by area."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from haulier.kernel.operations.declaration import DocumentRequest, GraphQL, Mcp, Operation, RateLimit, Request, Rest
from haulier.kernel.operations.errors import ErrorType

OPERATIONS = Path("docs/reference/operations")
ERRORS_PAGE = "../errors.md"
INDEX = """# Operations

Every operation of the REST API, GraphQL and MCP, by area. Generated from the declarations by `make published`.

- Required fields are bold. Responses are described in `published/openapi.json`.
- Every operation can also fail with the [common errors](../errors.md), such as `INVALID_REQUEST`, `RATE_LIMITED` or
  `BUSY_TRY_AGAIN`.
- Operations that require a token can fail with `UNAUTHENTICATED`, `INVALID_TOKEN`, `TOKEN_EXPIRED`, `ACCOUNT_NOT_ALLOWED`,
  `CLIENT_SUSPENDED` and `SCOPE_MISSING`.
- A running server has a form for each operation at `/api/docs`.

| Area | Operations |
|---|---|
"""
RANGES = (
    ("minimum", "maximum", ""),
    ("minLength", "maxLength", " characters"),
    ("minItems", "maxItems", " items"),
)
_JOINED_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")
NO_NUL = r"^[^\x00]*$"
"""The pattern of nearly every text, which is omitted because it would hide what matters."""


def render_operation_pages(operations: Iterable[Operation[Any, Any]]) -> dict[str, str]:
    """Return the pages in Markdown by file name: one for each area, and their index."""
    by_area: dict[str, list[Operation[Any, Any]]] = {}
    for operation in operations:
        by_area.setdefault(area_title(operation), []).append(operation)
    areas = sorted(by_area.items(), key=lambda item: item[0].lower())
    rows = [f"| [{title}]({area_page(members[0])}) | {len(members)} |\n" for title, members in areas]
    pages = {area_page(members[0]): _area_page(title, members) for title, members in areas}
    return {"README.md": INDEX + "".join(rows), **pages}


def area_page(operation: Operation[Any, Any]) -> str:
    """Return the file name of the page that an operation is on."""
    return f"{area_title(operation).lower().replace(' ', '-')}.md"


def area_title(operation: Operation[Any, Any]) -> str:
    """Return the area of an operation in words: `AddressBook` is Address book.

    Without an area it is the context.
    """
    first, *others = _JOINED_WORDS.sub(" ", operation.area or _title(operation.context)).split()
    return " ".join([first, *(word if word.isupper() else word.lower() for word in others)])


def _area_page(title: str, operations: list[Operation[Any, Any]]) -> str:
    parts = [f"# {title}: operations\n"]
    ordered = sorted(operations, key=lambda operation: (operation.family, operation.name))
    for family, members in groupby(ordered, key=lambda operation: operation.family):
        parts.append(f"\n## {_title(family)}\n")
        parts += [_operation_entry(operation) for operation in members]
    return "".join(parts)


def _operation_entry(operation: Operation[Any, Any]) -> str:
    lines = [f"\n### {operation.name}\n", operation.description, ""]
    lines += [f"- {name}: {value}" for name, value in _operation_facts(operation) if value]
    if rows := list(_request_rows(operation.request)):
        lines += ["", "| field | type | limits | meaning |", "| --- | --- | --- | --- |", *rows]
    return "\n".join(lines) + "\n"


def _operation_facts(operation: Operation[Any, Any]) -> Iterator[tuple[str, str]]:
    yield "interfaces", ", ".join(f"`{_describe_binding(interface)}`" for interface in operation.interfaces)
    yield "audience", ", ".join(sorted(operation.audience))
    yield "scopes", ", ".join(f"`{scope}`" for scope in sorted(operation.scopes))
    yield "effect", f"{operation.effect}, risk {operation.risk}{', requires confirmation' if operation.confirm else ''}"
    yield "module", operation.module or ""
    yield "opt-in", operation.feature or ""
    if issubclass(operation.request, DocumentRequest):
        yield "body", ", ".join(f"`{media_type}`" for media_type in operation.request.media_types)
    yield "rate", ", ".join(map(_describe_limit, operation.limits))
    yield "errors", ", ".join(map(_describe_error, sorted(operation.errors, key=lambda problem: problem.id)))
    yield "deprecated", f"use {gone.replacement}" if (gone := operation.deprecation) else ""


def _describe_binding(interface: Rest | GraphQL | Mcp) -> str:
    match interface:
        case Rest():
            return f"{interface.method} /api{interface.path}"
        case GraphQL():
            return f"graphql {interface.name}"
        case Mcp():
            return f"tool {interface.name} ({', '.join(sorted(interface.servers))})"


def _describe_limit(limit: RateLimit) -> str:
    counted = " failures" if limit.failures else ""
    return f"{limit.times}{counted} in {limit.seconds} s per {' and '.join(limit.by)}"


def _describe_error(problem: ErrorType) -> str:
    return f"[`{problem.code}`]({ERRORS_PAGE}#{problem.id}) ({problem.status})"


def _request_rows(request: type[Request]) -> Iterator[str]:
    schema = request.model_json_schema(ref_template="{model}")
    yield from _field_rows(schema, schema.get("$defs", {}), "", {})


def _field_rows(schema: Any, definitions: Any, prefix: str, described: dict[str, str]) -> Iterator[str]:
    """Yield a row per field, with the fields of records below them.

    Each record is described once.
    """
    required = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        path = f"{prefix}{name}"
        kind, limits, record = _describe_field(field, definitions)
        if record in described:
            kind = f"{kind} like {described[record]}"
        label = f"**{path}**" if name in required else path
        yield _table_row(label, kind, ", ".join(limits), _meaning(field))
        if record and record not in described:
            described[record] = path
            inner = f"{path}[]." if kind.startswith("list") else f"{path}."
            yield from _field_rows(definitions[record], definitions, inner, described)


def _table_row(*cells: str) -> str:
    return "|" + "|".join(f" {cell.replace('|', chr(92) + '|')} " if cell else " " for cell in cells) + "|"


def _meaning(field: Any) -> str:
    meaning = " ".join(field.get("description", "").split())
    default = field.get("default")
    if isinstance(default, bool):
        default = str(default).lower()
    return f"{meaning} Default {default}.".strip() if isinstance(default, str | int) and default else meaning


def _describe_field(field: Any, definitions: Any) -> tuple[str, list[str], str | None]:
    """Return the type, limits and record of a field's schema."""
    choices = [choice for choice in field.get("anyOf", field.get("oneOf", ())) if choice.get("type") != "null"]
    if choices:
        kinds, limits, records = zip(*(_describe_field(choice, definitions) for choice in choices), strict=True)
        record = next(filter(None, records), None)
        return (
            " or ".join(dict.fromkeys(kinds)),
            list(dict.fromkeys(limit for some in limits for limit in some)),
            record,
        )
    if "$ref" in field:
        target = definitions[field["$ref"]]
        return ("record", [], field["$ref"]) if "properties" in target else _describe_field(target, definitions)
    if "enum" in field or "const" in field:
        return "one of", [f"`{value}`" for value in field.get("enum", [field.get("const")])], None
    if field.get("type") == "array":
        kind, inner, record = _describe_field(field.get("items", {}), definitions)
        return f"list of {kind}", [*_field_limits(field), *(f"each {limit}" for limit in inner)], record
    return field.get("type", "any"), list(_field_limits(field)), None


def _field_limits(field: Any) -> Iterator[str]:
    for least, most, unit in RANGES:
        low, high = field.get(least), field.get(most)
        if high is not None:
            yield (
                f"{high}{unit}" if low == high else f"at most {high}{unit}" if low is None else f"{low} to {high}{unit}"
            )
        elif low is not None:
            yield f"at least {low}{unit}"
    if field.get("pattern", NO_NUL) != NO_NUL:
        yield f"`{field['pattern']}`"
    if "format" in field:
        yield field["format"]


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()
