"""Live followers of a day: stop events at once, positions at the next beat."""

import asyncio
import json
from typing import Any

from tests.support.app import App
from tests.support.transport import DAY, make_order, make_started_route

from haulier.api.rest.app import RestApp

PATIENCE_S = 60


async def test_stop_events_are_pushed_immediately(app: App) -> None:
    route = await make_started_route(app, [await make_order(app)])
    app.clock.forward(minutes=1)
    parts: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    leaves = asyncio.Event()

    async def receive() -> dict[str, Any]:
        await leaves.wait()
        return {"type": "http.disconnect"}

    following = asyncio.create_task(RestApp(app.application)(make_scope(app, "admin"), receive, parts.put))
    try:
        assert (await part(parts))["status"] == 200
        assert [each["kind"] for each in await told(parts)] == ["route"]
        await app.answer("driver", "arrive_at_stop", {"route_id": route.id, "stop_id": route.stops[0].id})
        (change,) = await told(parts)
        assert (change["kind"], change["stop_id"], change["status"]) == ("stop", route.stops[0].id, "arrived")
    finally:
        leaves.set()
        await asyncio.wait_for(following, PATIENCE_S)


def make_scope(app: App, who: str) -> dict[str, Any]:
    return {
        "type": "http",
        "method": "GET",
        "path": f"/v1/dispatch/days/{DAY}/stream",
        "query_string": b"",
        "headers": [(b"authorization", f"Bearer {app.tokens[who]}".encode())],
        "client": ("127.0.0.1", 1),
    }


async def part(parts: asyncio.Queue[dict[str, Any]]) -> dict[str, Any]:
    return await asyncio.wait_for(parts.get(), PATIENCE_S)


async def told(parts: asyncio.Queue[dict[str, Any]]) -> list[dict[str, Any]]:
    """The next batch of changes."""
    while True:
        lines = (await part(parts))["body"].decode().splitlines()
        if found := [json.loads(line[6:]) for line in lines if line.startswith("data: ")]:
            return found


async def test_following_requires_a_token(app: App) -> None:
    assert (await app.rest(None, "GET", f"/v1/dispatch/days/{DAY}/stream")).status_code == 401
