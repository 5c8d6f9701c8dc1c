"""Requests to any operation at each of its interfaces, with the raw responses."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
from graphql import GraphQLNamedType, GraphQLObjectType, get_named_type, is_leaf_type, is_object_type, is_union_type
from msgspec import Struct
from tests.support.app import App

from haulier.api.graphql.schema import build_schema
from haulier.kernel.operations.declaration import GraphQL, Mcp, Operation, Rest
from haulier.kernel.operations.enums import McpServer

DEPTH = 8
MCP_PATHS = {McpServer.USER: "/mcp", McpServer.DEVELOPER: "/mcp/developer"}


class Reply(Struct, frozen=True):
    """The response of one interface."""

    operation: str
    interface: str
    status: int
    text: str

    @property
    def went_well(self) -> bool:
        """Return True if the operation succeeded."""
        return (
            self.status < 300 and '"errors":[{' not in self.text.replace(" ", "") and '"isError":true' not in self.text
        )


class Interfaces:
    """The three interfaces of a running application."""

    def __init__(self, app: App, mcp: httpx.AsyncClient, mcp_base: str) -> None:
        self.app = app
        self._mcp = mcp
        self._mcp_base = mcp_base
        self._schema = build_schema(app.application.registry)

    async def ask(
        self,
        who: str,
        operation: Operation[Any, Any],
        values: dict[str, Any],
        *,
        kinds: tuple[type, ...] = (Rest, GraphQL, Mcp),
        **headers: str,
    ) -> AsyncIterator[Reply]:
        """Call an operation at each of its interfaces of these kinds, in turn."""
        sent = {"authorization": f"Bearer {self.app.tokens[who]}", **headers}
        for interface in operation.interfaces:
            if not isinstance(interface, kinds):
                continue
            match interface:
                case Rest():
                    answer = await self._rest(interface, values, sent)
                case GraphQL():
                    answer = await self._graphql(interface, values, sent)
                case Mcp():
                    answer = await self._tool(interface, values, sent)
            yield Reply(operation.name, type(interface).__name__, answer.status_code, answer.text)

    async def _rest(self, interface: Rest, values: dict[str, Any], headers: dict[str, str]) -> httpx.Response:
        left, path = dict(values), interface.path
        for name in [name for name in left if f"{{{name}}}" in path]:
            path = path.replace(f"{{{name}}}", str(left.pop(name)))
        taken = (
            left
            if interface.method in {"GET", "DELETE"}
            else {name: left.pop(name) for name in interface.query if name in left}
        )
        query = {name: ",".join(map(str, value)) if isinstance(value, list) else value for name, value in taken.items()}
        words: dict[str, Any] = {} if taken is left else {"json": left.get(interface.body) if interface.body else left}
        return await self.app.http.request(interface.method, f"/api{path}", params=query, headers=headers, **words)

    async def _graphql(self, interface: GraphQL, values: dict[str, Any], headers: dict[str, str]) -> httpx.Response:
        mutation = self._schema.mutation_type
        kind, root = ("query", self._schema.query_type)
        if mutation and interface.name in mutation.fields:
            kind, root = "mutation", mutation
        assert root
        field = root.fields[interface.name]
        given = {name: value for name, value in values.items() if name in field.args}
        declared = ", ".join(f"${name}: {field.args[name].type}" for name in given)
        passed = ", ".join(f"{name}: ${name}" for name in given)
        text = f"{kind}{f'({declared})' if given else ''} {{ {interface.name}{f'({passed})' if given else ''} "
        text += f"{everything(get_named_type(field.type))} }}"
        return await self.app.http.post("/graphql", json={"query": text, "variables": given}, headers=headers)

    async def _tool(self, interface: Mcp, values: dict[str, Any], headers: dict[str, str]) -> httpx.Response:
        params = {"name": interface.name, "arguments": values, "confirm": True}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        path = MCP_PATHS[min(interface.servers, key=lambda server: server is not McpServer.USER)]
        return await self._mcp.post(f"{self._mcp_base}{path}", json=message, headers=headers)


def everything(kind: GraphQLNamedType, depth: int = DEPTH) -> str:
    """Return a GraphQL selection of every field of a type, at any depth."""
    if is_leaf_type(kind) or not depth:
        return ""
    if is_union_type(kind):
        return "{ __typename " + " ".join(f"... on {one} {everything(one, depth)}" for one in kind.types) + " }"
    assert is_object_type(kind)
    return "{ " + " ".join(_selected(kind, depth)) + " }"


def _selected(kind: GraphQLObjectType, depth: int) -> list[str]:
    inner = {name: get_named_type(field.type) for name, field in kind.fields.items()}
    return [f"{name} {everything(one, depth - 1)}" for name, one in inner.items() if is_leaf_type(one) or depth > 1]
