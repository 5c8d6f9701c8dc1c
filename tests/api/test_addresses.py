"""Paths of the interfaces."""

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from haulier.server import PathDispatcher


@pytest.mark.parametrize(
    ("path", "interface"),
    [
        ("/mcp", "agents"),
        ("/mcp/", "agents"),
        ("/api/mcp/developer", "developers"),
        ("/api/mcp/developer/", "developers"),
        ("/mcp/elsewhere", "others"),
        ("/api/mcp/elsewhere", "others"),
        ("/api/orders", "rest"),
        ("/", "others"),
    ],
)
async def test_an_interface_at_one_address_accepts_a_trailing_slash(path: str, interface: str) -> None:
    reached = list[str]()

    def named(name: str) -> ASGIApp:
        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            reached.append(name)

        return answer

    interfaces = {"/mcp": named("agents"), "/api/mcp/developer": named("developers")}
    dispatcher: ASGIApp = PathDispatcher(named("rest"), interfaces, named("others"))
    await dispatcher({"type": "http", "path": path}, None, None)  # type: ignore[arg-type]
    assert reached == [interface]
