"""The MCP servers over real HTTP: uvicorn in this process, on a free port."""

import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Route

from haulier.api.mcp.app import McpInterface
from haulier.api.mcp.server_features import ServerFeatures
from haulier.kernel.application import Application
from haulier.kernel.operations.enums import McpServer


@asynccontextmanager
async def serve_mcp(application: Application, features: ServerFeatures | None = None) -> AsyncIterator[str]:
    """Yield the base URL of both servers; the socket already listens."""
    user, developer = (McpInterface(application, server, features) for server in (McpServer.USER, McpServer.DEVELOPER))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(user.running())
            await stack.enter_async_context(developer.running())
            yield

    routes = [Route("/mcp/developer", endpoint=developer), Route("/mcp", endpoint=user)]
    async with serve_asgi(Starlette(lifespan=lifespan, routes=routes)) as base:
        yield base


@asynccontextmanager
async def serve_asgi(application: Any, **options: Any) -> AsyncIterator[str]:
    """Yield the base URL of an application; `options` are those of `uvicorn.Config`.

    uvicorn's own loop checks only ten times per second whether it should stop; without it a test ends at once. A socket
    with an explicit protocol sends small responses immediately, where asyncio would delay each by 40 ms.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    config = uvicorn.Config(application, log_level="error", **options)
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup(sockets=[listener])
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        await server.shutdown(sockets=[listener])


class McpClient:
    """Plain JSON-RPC to the two servers without a handshake; tokens identify callers."""

    def __init__(self, base: str, http: httpx.AsyncClient) -> None:
        self.base = base
        self.http = http

    async def post(self, method: str, params: Any = None, who: str | None = None, **words: Any) -> httpx.Response:
        """One JSON-RPC request. `headers` are added, `path` chooses the server."""
        headers = {**({"authorization": f"Bearer {who}"} if who else {}), **words.get("headers", {})}
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        return await self.http.post(f"{self.base}{words.get('path', '/mcp')}", json=message, headers=headers)

    async def call(self, tool: str, arguments: Any = None, who: str | None = None, **words: Any) -> dict[str, Any]:
        """The result of calling a tool. `beside` stands among the parameters of the call."""
        params = {"name": tool, "arguments": arguments or {}, **words.pop("beside", {})}
        return (await self.post("tools/call", params, who, **words)).json()["result"]

    async def names(self, who: str | None = None, **words: Any) -> list[str]:
        """The names of the tools that are listed."""
        listed = (await self.post("tools/list", None, who, **words)).json()["result"]["tools"]
        return [tool["name"] for tool in listed]
