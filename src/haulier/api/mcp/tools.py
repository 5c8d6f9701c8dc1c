"""Tool definitions derived from the declarations of operations."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from haulier.api.mcp.compact_schema import compact_input_schema, compact_output_schema, outline_schema
from haulier.api.mcp.lean_answers import omitted_members
from haulier.kernel.operations.answer_schema import answer_schemas
from haulier.kernel.operations.declaration import Mcp, Operation, Rest
from haulier.kernel.operations.enums import Effect, McpServer, Risk, Scope
from haulier.kernel.operations.registry import Registry
from haulier.kernel.operations.untrusted_text import untrusted_paths

Schema = dict[str, Any]
CONFIRM_SCHEMA: Schema = {
    "type": "boolean",
    "description": "Must be true: hard to undo. Ask the person first.",
}
API_TOKEN_SCHEMA: Schema = {
    "type": "string",
    "deprecated": True,
    "maxLength": 500,
    "examples": ["hlapi_…"],
    "description": "Deprecated: use the Authorization header.",
}
WRITE_RESULT_PROPERTIES: Schema = {
    "dry_run": {"type": "boolean"},
    "preview": {"type": "object"},
    "side_effects": {"type": "array"},
    "changes": {"type": "array"},
    "message": {"type": "string"},
    "queued": {"type": "boolean"},
    "approval": {"type": "object"},
}
"""Additional members in the answer of a write. The server's instructions describe them."""

ROW_MEMBERS_MAX = 100
IDEMPOTENT_METHODS = {"PUT", "DELETE"}
"""Idempotent methods (RFC 9110, section 9.2.2). Operations with these methods must be idempotent."""
OPEN_WORLD_SCOPES = {
    Scope.LABELS_READ,
    Scope.LABELS_WRITE,
    Scope.UNIORDER_READ,
    Scope.UNIORDER_WRITE,
    Scope.WEBHOOKS_WRITE,
}
"""Scopes of operations that reach external systems: carriers, and addresses that customers specify."""


def tool_bindings(registry: Registry, server: McpServer) -> Iterator[tuple[Mcp, Operation[Any, Any]]]:
    """Return the tools of one server."""
    return ((tool, operation) for tool, operation in registry.bindings(Mcp) if server in tool.servers)


def tool_definition(tool: Mcp, operation: Operation[Any, Any], server: McpServer) -> Schema:
    """Return the definition of a tool for a tool list."""
    return {
        "name": tool.name,
        "title": tool.title or tool.name.replace("_", " ").capitalize(),
        "description": operation.description,
        "inputSchema": tool_input_schema(operation, server),
        "outputSchema": listed_output_schema(operation),
        "annotations": tool_annotations(operation),
    }


def published_tools(registry: Registry, server: McpServer) -> list[Schema]:
    """Return the tools of a server with audience, risk, scopes and confirmation.

    Used for the published page.
    """
    return [
        {
            **tool_definition(tool, operation, server),
            "x-haulier": {
                "audience": sorted(operation.audience),
                "risk": operation.risk.value,
                "scopes": sorted(operation.scopes),
                "confirm": operation.confirm,
            },
        }
        for tool, operation in sorted(tool_bindings(registry, server), key=lambda binding: binding[0].name)
    ]


def tool_input_schema(operation: Operation[Any, Any], server: McpServer) -> Schema:
    """Return the input schema of a tool, including `confirm` if it is required.

    Examples come from the contract of the operation.
    """
    full_schema = _without_row_schemas(operation, operation.request.model_json_schema())
    schema = compact_input_schema(full_schema)
    schema.pop("description", None)
    properties = dict(schema.get("properties", {}))
    if operation.confirm:
        properties["confirm"] = CONFIRM_SCHEMA
    if server is McpServer.DEVELOPER and not operation.public:
        properties["api_token"] = API_TOKEN_SCHEMA
    return {**schema, "type": "object", "properties": properties}


def _without_row_schemas(operation: Operation[Any, Any], schema: Schema) -> Schema:
    """Reduce rows to plain objects if the operation validates each row separately."""
    # Otherwise a list repeats the schema of `create_order` three times, 11 kB per conversation.
    rows = operation.request.judged_rows
    if not rows:
        return schema
    members = {
        name: {**part, "items": {"type": "object", "maxProperties": ROW_MEMBERS_MAX}} if name in rows else part
        for name, part in schema["properties"].items()
    }
    return {name: part for name, part in schema.items() if name != "$defs"} | {"properties": members}


def operation_input_schema(operation: Operation[Any, Any]) -> Schema:
    """Return the input schema of any operation."""
    schema = compact_input_schema(operation.request.model_json_schema())
    schema.pop("description", None)
    return {**schema, "type": "object", "properties": schema.get("properties", {})}


def listed_output_schema(operation: Operation[Any, Any]) -> Schema:
    """Return the first-level members of an answer with their types.

    Nothing is required and other members are allowed, so that errors, previews and pending writes are valid.
    `describe_operation` returns the full schema.
    """
    # The full schema was 63% of a list, and clients that applied it to errors rejected them.
    return outline_schema(_answer_schema(operation))


def tool_output_schema(operation: Operation[Any, Any]) -> Schema:
    """Return the output schema of an operation, including previews of writes."""
    schema = _without_required_nulls(_answer_schema(operation))
    if operation.effect is Effect.WRITE:
        schema["properties"] = {**WRITE_RESULT_PROPERTIES, **schema["properties"]}
        schema.pop("required", None)
    return compact_output_schema(schema)


def _without_required_nulls(part: Any) -> Any:
    """Make nullable members optional, because tools omit nulls."""
    if isinstance(part, list):
        return [_without_required_nulls(each) for each in part]
    if not isinstance(part, dict):
        return part
    schema: Schema = {name: _without_required_nulls(each) for name, each in part.items()}
    if isinstance(schema.get("required"), list):
        members = schema.get("properties", {})
        schema["required"] = [name for name in schema["required"] if not _takes_null(members.get(name, {}))]
    return schema


def _takes_null(schema: Schema) -> bool:
    return {"type": "null"} in schema.get("anyOf", ()) or "null" in schema.get("type", ())


def _answer_schema(operation: Operation[Any, Any]) -> Schema:
    (reference,), components = answer_schemas([operation.answer], "#/$defs/{name}")
    name = reference["$ref"].rsplit("/", 1)[1]
    for record, left_out in omitted_members(operation.answer).items():
        if (schema := components.get(record)) and "required" in schema:
            components[record] = {**schema, "required": [each for each in schema["required"] if each not in left_out]}
    root: Schema = {key: value for key, value in components.pop(name).items() if key not in {"title", "description"}}
    return {**root, "$defs": components} if components else root


@cache
def untrusted_paths_of(operation: Operation[Any, Any]) -> tuple[str, ...]:
    """Return the paths of text from untrusted sources in a tool's answer."""
    return tuple(untrusted_paths(tool_output_schema(operation)))


def tool_annotations(operation: Operation[Any, Any]) -> Schema:
    """Return hints for hosts. The pipeline enforces the rules independently."""
    reads = operation.effect is Effect.READ
    return {
        "readOnlyHint": reads,
        "destructiveHint": not reads and operation.risk is Risk.HIGH,
        "idempotentHint": reads
        or any(
            isinstance(interface, Rest) and interface.method in IDEMPOTENT_METHODS for interface in operation.interfaces
        ),
        "openWorldHint": bool(operation.scopes & OPEN_WORLD_SCOPES),
    }
