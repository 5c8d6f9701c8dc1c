"""Nodes of one database detect inconsistent settings."""

import json
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from tests.support.databases import cluster

from haulier.app import build_application, make_node
from haulier.health import health_routes
from haulier.key_watch import KeyWatch
from haulier.nodes import differing_settings, fingerprints
from haulier.settings import Settings

KEYS = [b64encode(letter * 32).decode() for letter in (b"o", b"n")]
Start = Callable[..., Awaitable[httpx.AsyncClient]]


@pytest.fixture
async def start() -> AsyncIterator[Start]:
    """Yield a function that starts a node on the same PostgreSQL.

    It returns a client of the node's health pages.
    """
    async with AsyncExitStack() as stack:

        async def started(**settings: Any) -> httpx.AsyncClient:
            configured = Settings(database=cluster().url(), base_url="http://test", **settings)
            app = build_application(configured)
            await app.database.open()
            stack.push_async_callback(app.database.close)
            node, keys = make_node(app, configured), KeyWatch(app)
            await stack.enter_async_context(keys.watching())
            await stack.enter_async_context(node.joined())
            transport = httpx.ASGITransport(app=Starlette(routes=health_routes(app, node, keys)))
            return await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://test"))

        yield started
    cluster().sweep()


async def readiness(node: httpx.AsyncClient) -> tuple[int, dict[str, Any]]:
    answer = await node.get("/readyz")
    return answer.status_code, answer.json()


async def test_nodes_with_the_same_settings_are_ready(start: Start, tmp_path: Path) -> None:
    for _ in range(2):
        assert await readiness(await start(objects=f"file:{tmp_path}", node="a")) == (200, {"status": "ready"})


async def test_a_node_with_different_settings_names_them_and_takes_no_traffic(start: Start) -> None:
    older = await start(node="older", secrets_keys=KEYS[0], origins="https://a.example")
    newer = await start(node="newer", secrets_keys=KEYS[1], origins="https://b.example")
    status, said = await readiness(newer)
    assert (status, said["status"], said["settings"]) == (503, "settings differ", ["origins", "secrets_keys"])
    assert said["from"].startswith("older-")
    assert said["node"].startswith("newer-")
    assert not any(secret in json.dumps(said) for secret in (*KEYS, "example"))
    assert (await readiness(older))[0] == 200


async def test_a_node_without_access_to_shared_files_takes_no_traffic(start: Start, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    await start(objects=f"file:{folder}")
    folder.rename(tmp_path / "another machine's")
    status, said = await readiness(await start(objects=f"file:{folder}"))
    assert (status, said["status"], said["settings"]) == (503, "files are not shared", ["objects"])


async def test_a_node_with_a_clock_off_by_more_than_two_seconds_takes_no_traffic(start: Start) -> None:
    status, said = await readiness(await start(clock_offset_s=60))
    assert (status, said["status"]) == (503, "clock is off")
    assert said["skew_s"] == pytest.approx(60, abs=1)
    assert (await readiness(await start(clock_offset_s=1)))[0] == 200


async def test_a_node_that_left_is_not_compared(start: Start) -> None:
    configured = Settings(database=cluster().url(), base_url="http://elsewhere")
    app = build_application(configured)
    await app.database.open()
    async with make_node(app, configured).joined():
        assert (await readiness(await start()))[0] == 503
    assert (await readiness(await start()))[0] == 200
    await app.database.close()


def test_keys_can_be_rotated_node_by_node_while_each_reads_the_others() -> None:
    def of(*keys: str) -> dict[str, Any]:
        return fingerprints(Settings(base_url="http://test", secrets_keys=",".join(keys) or None))

    old, new = KEYS
    steps = [of(old), of(old, new), of(new, old), of(new)]
    for one, other in pairwise(steps):
        assert differing_settings(one, other) == differing_settings(other, one) == []
    assert differing_settings(of(old), of(new, old)) == ["secrets_keys"]
    assert differing_settings(of(), of(new)) == ["secrets_keys"]


def test_two_test_servers_on_one_machine_can_have_different_addresses() -> None:
    one, other = (fingerprints(Settings(port=port)) for port in (8000, 8001))
    assert differing_settings(one, other) == []


def test_shared_node_settings_contain_no_user_or_password() -> None:
    def of(secret: str) -> dict[str, Any]:
        mail, files = f"smtp://{secret}@mail.example:25", f"s3://key:{secret}@store.example/bucket"
        return fingerprints(Settings(base_url="http://test", mail=mail, objects=files))

    assert of("ada:one") == of("bob:two")
    assert of("ada:one")["mail"] != fingerprints(Settings(base_url="http://test", mail="smtp://other.example"))["mail"]
