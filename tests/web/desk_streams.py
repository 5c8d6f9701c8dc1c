"""Streams of the desk."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from html import unescape
from types import SimpleNamespace
from typing import Any

from msgspec import json
from starlette.requests import Request
from tests.support.app import App
from tests.web.page_client import get_page, session_cookie

from haulier.web.desk.live import live_list, live_part, live_record
from haulier.web.desk.pages import DeskRequest
from haulier.web.desk.places import places_of
from haulier.web.session import current_session

PATIENCE_S = 60


async def told(app: App, address: str, who: str) -> AsyncIterator[dict[str, Any]]:
    """Return the messages of a stream for a user."""
    path, _, _ = address.partition("?")
    _, _, _, noun, *ids = path.split("/")
    live = live_part if path.startswith("/desk/live-parts/") else live_record if ids else live_list
    async for each in streamed(app, live, address, who, noun=noun, part=noun, ids="/".join(ids)):
        yield each


async def streamed(
    app: App, page: Callable[[DeskRequest], Awaitable[Any]], address: str, who: str, **named: Any
) -> AsyncIterator[dict[str, Any]]:
    """Return the messages of a desk stream for a user; `named` is its parameter."""
    path, _, query = address.partition("?")
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": query.encode(),
        "headers": [(b"cookie", session_cookie(app, who).encode()), (b"host", b"test")],
        "path_params": named,
        "app": SimpleNamespace(state=SimpleNamespace(app=app.application)),
        "server": ("test", 80),
        "scheme": "http",
    }
    request = Request(scope)
    session = await current_session(request)
    assert session is not None
    response = await page(DeskRequest(request, session, places_of(app.application.registry)))
    async for message in response.body_iterator:
        yield json.decode(message.removeprefix(b"data: "))


async def live_address(app: App, path: str, who: str) -> str:
    """Where the scripts of a page listen."""
    found = re.search(r'data-live="([^"]+)"', (await get_page(app, path, who)).text)
    assert found is not None
    return unescape(found[1])
