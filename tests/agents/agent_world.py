"""Test world of the agent stories: connected agents and initial records."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.api.mcp.schema_fit import assert_fits_schema
from tests.support.app import App

QUEEN_ST = {"name": "Ada", "address": "100 Queen St W", "city": "Toronto", "country": "CA", "lat": 43.65, "lng": -79.38}
KING_ST = {"name": "Bo", "address": "1 King St E", "city": "Toronto", "country": "CA", "lat": 43.649, "lng": -79.377}
SERVER_PATHS = {"user": "/mcp", "developer": "/mcp/developer"}
OPTION_HEADERS = {
    "dry_run": "X-MCP-Dry-Run",
    "approval": "X-MCP-Require-Approval",
    "profile": "X-MCP-Profile",
    "scopes": "X-MCP-Scopes",
    "language": "Accept-Language",
    "key": "Idempotency-Key",
}


class ConnectedAgent:
    """A connected agent. Every tool response is validated against its listed schema."""

    def __init__(self, client: Client, schemas: dict[str, Any]) -> None:
        self._client = client
        self._schemas = schemas

    @property
    def sees(self) -> set[str]:
        """The tools that it was shown."""
        return set(self._schemas)

    async def does(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool that it was shown, and get what it answers."""
        result = await self._client.call_tool(tool, arguments)
        assert not result.is_error, result.structured_content
        assert_fits_schema(result.structured_content, self._schemas[tool])
        return result.structured_content

    async def is_refused(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool that refuses, and get why."""
        result = await self._client.call_tool(tool, arguments)
        assert result.is_error, result.structured_content
        assert result.structured_content
        return result.structured_content


class AgentWorld:
    """A running business, and the server that agents connect to."""

    def __init__(self, app: App, base: str) -> None:
        self.app = app
        self.base = base

    @asynccontextmanager
    async def agent(
        self, who: str | None = "admin", server: str = "user", **said: str
    ) -> AsyncIterator[ConnectedAgent]:
        """Yield an agent that works for a user; headers are named as in `HEADERS`."""
        headers = {OPTION_HEADERS[name]: value for name, value in said.items()}
        if who:
            headers["Authorization"] = f"Bearer {self.app.tokens[who]}"
        async with (
            httpx.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(f"{self.base}{SERVER_PATHS[server]}", http_client=http)) as client,
        ):
            listed = await client.list_tools()
            yield ConnectedAgent(client, {tool.name: tool.output_schema for tool in listed.tools})

    @asynccontextmanager
    async def client(
        self, who: str | None = "admin", server: str = "user", said: dict[str, str] | None = None, **options: Any
    ) -> AsyncIterator[Client]:
        """Yield the official client for a user; `options` are those of the client."""
        headers = {OPTION_HEADERS[name]: value for name, value in (said or {}).items()}
        if who:
            headers["Authorization"] = f"Bearer {self.app.tokens[who]}"
        async with (
            httpx.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(f"{self.base}{SERVER_PATHS[server]}", http_client=http), **options) as client,
        ):
            yield client

    async def order(self, **words: Any) -> Any:
        """An order that is there when the agent comes."""
        asked = {"consignee": QUEEN_ST, **words}
        return (await self.app.answer(words.pop("who", "admin"), "create_order", asked)).order

    async def route(self, *order_ids: int) -> Any:
        """A route of today with a driver and these orders."""
        depot = {"name": "Depot", "address": "1 Bay St", "lat": 43.64, "lng": -79.37}
        depot_id = (await self.app.answer("admin", "create_depot", depot)).depot.id
        driver = {"name": "Dan", "user_id": self.app.ids["driver"]}
        driver_id = (await self.app.answer("admin", "create_driver", driver)).driver.id
        asked = {"day": "2026-06-10", "depot_id": depot_id, "driver_id": driver_id, "name": "Downtown"}
        route = (await self.app.answer("admin", "create_route", asked)).route
        await self.app.answer("admin", "add_orders_to_route", {"route_id": route.id, "order_ids": list(order_ids)})
        return route
