"""API request of a page for curl, GraphQL and MCP tools."""

import re
from collections.abc import Mapping
from typing import Any, get_type_hints
from urllib.parse import quote, urlencode

import msgspec
from msgspec import Struct

from haulier.kernel.operations.declaration import GraphQL, Mcp, Operation, Rest
from haulier.kernel.operations.enums import Effect
from haulier.web.desk.reader import possible_columns

SHOWN_MEMBERS = 6


class SameCall(Struct, frozen=True):
    """One way to make a call."""

    way: str
    text: str


def same_calls(operation: Operation[Any, Any], values: Mapping[str, Any], base_url: str) -> list[SameCall]:
    """The same call at the other doors that the operation has."""
    writers = {Rest: ("curl", lambda interface: _curl(interface, values, base_url)),
               GraphQL: ("GraphQL", lambda interface: _graphql(operation, interface, values)),
               Mcp: ("MCP", lambda interface: _tool(interface, values))}  # fmt: skip
    found: dict[str, str] = {}
    for interface in operation.interfaces:
        way, write = writers[type(interface)]
        found.setdefault(way, write(interface))
    return [SameCall(way, text) for way, text in found.items()]


def _curl(interface: Rest, values: Mapping[str, Any], base_url: str) -> str:
    in_path = re.findall(r"{(\w+)}", interface.path)
    path = re.sub(
        r"{(\w+)}", lambda found: quote(str(values.get(found[1], f"{{{found[1]}}}")), safe="{}"), interface.path
    )
    rest = {name: value for name, value in values.items() if name not in in_path}
    lines = [
        f"curl -X {interface.method}" if interface.method != "GET" else "curl",
        "-H 'Authorization: Bearer '$TOKEN",
    ]
    if interface.method in {"GET", "DELETE"}:
        query = f"?{urlencode(rest, doseq=True)}" if rest else ""
    else:
        in_query = {name: rest.pop(name) for name in interface.query if name in rest}
        query = f"?{urlencode(in_query, doseq=True)}" if in_query else ""
        body = (
            msgspec.json.encode(rest.get(interface.body, {}) if interface.body else rest).decode().replace("'", "'\\''")
        )
        lines += ["-H 'Content-Type: application/json'", f"-d '{body}'"]
    return " \\\n  ".join([*lines, f"'{base_url}/api{path}{query}'"])


def _graphql(operation: Operation[Any, Any], interface: GraphQL, values: Mapping[str, Any]) -> str:
    kind = "query" if operation.effect is Effect.READ else "mutation"
    arguments = ", ".join(f"{name}: {_graphql_value(value)}" for name, value in values.items())
    call = f"{interface.name}({arguments})" if arguments else interface.name
    return f"{kind} {{ {call} {{ {' '.join(_selection(operation.answer))} }} }}"


def _selection(answer: type[Struct]) -> list[str]:
    hints = get_type_hints(answer)
    plain = [name for name in possible_columns(answer) if not hasattr(hints[name], "__struct_fields__")]
    return plain[:SHOWN_MEMBERS] or ["__typename"]


def _graphql_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {_graphql_value(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_graphql_value, value)) + "]"
    return msgspec.json.encode(value).decode()


def _tool(interface: Mcp, values: Mapping[str, Any]) -> str:
    call = {"name": interface.name, "arguments": dict(values)}
    return msgspec.json.format(msgspec.json.encode(call), indent=2).decode()
