"""Build stream: better plans for followers, and the result in the last step."""

import asyncio
import json
from typing import Any

from tests.contexts.planning.builds.makers import QUICK_BUILD, make_small_day
from tests.support.app import App
from tests.support.event_stream import Stream

from haulier.api.rest.app import RestApp


def open_stream(app: App, build_id: int, who: str) -> tuple[Stream, "asyncio.Task[None]"]:
    stream = Stream()
    scope: dict[str, Any] = {
        "type": "http",
        "method": "GET",
        "path": f"/v3/client/build-route/{build_id}/stream",
        "query_string": b"",
        "headers": [(b"authorization", f"Bearer {app.tokens[who]}".encode())],
        "client": ("127.0.0.1", 1),
    }
    return stream, asyncio.create_task(RestApp(app.application)(scope, stream.receive, stream.send))


async def test_progress_is_pushed_until_the_build_is_done(app: App) -> None:
    _, orders = await make_small_day(app)
    build = (await app.answer("admin", "build_route", QUICK_BUILD)).build
    stream, task = open_stream(app, build.id, "admin")
    assert (await stream.part())["status"] == 200
    await app.work_off()
    steps: list[dict[str, Any]] = []
    while not steps or steps[-1]["state"] != "done":
        lines = (await stream.part())["body"].decode().splitlines()
        steps += [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
    stream.leaves.set()
    await task
    assert [step["number"] for step in steps] == list(range(1, len(steps) + 1))
    assert sorted(id for sketch in steps[-1]["routes"] for id in sketch["order_ids"]) == orders


async def test_other_users_cannot_follow_a_build(app: App) -> None:
    await make_small_day(app)
    build = (await app.answer("admin", "build_route", QUICK_BUILD)).build
    stream, task = open_stream(app, build.id, "rival")
    assert (await stream.part())["status"] == 404
    await task
