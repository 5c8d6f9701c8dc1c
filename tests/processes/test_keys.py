"""A node without the keys of its database takes no traffic."""

import asyncio
import logging
from base64 import b64encode
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App, make_app
from tests.support.databases import migrated_file
from typer.testing import CliRunner

from haulier.adapters import key_ring
from haulier.app import build_application
from haulier.cli import app as command_line
from haulier.contexts.integrations.webhooks.store import endpoints
from haulier.key_watch import KeyWatch
from haulier.settings import Settings

OLD, NEW, OTHER = (b64encode(letter * 32).decode() for letter in (b"o", b"n", b"x"))
ENDPOINT = {"url": "https://shop.example/hook", "events": ["order.created"]}
ORDER = {"consignee": ADDRESS, "order_ref": "A-1"}
SAID = "secrets of this database are encrypted with key "
READY = (200, {"status": "ready"})


@pytest.fixture(autouse=True)
def _read_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_ring, "READ_AGAIN_AFTER_S", 0)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return migrated_file(tmp_path)


async def readiness(app: App) -> tuple[int, dict[str, Any]]:
    answer = await app.http.get("/readyz")
    return answer.status_code, answer.json()


async def refusal_of(url: str, keys: str | None) -> Any:
    """Start a process with some keys, and return why it is not ready."""
    app = build_application(Settings(database=url, secrets_keys=keys))
    await app.database.open()
    try:
        return await KeyWatch(app).check()
    finally:
        await app.database.close()


@asynccontextmanager
async def node_without_its_key(url: str, key: Path) -> AsyncGenerator[App]:
    async with make_app(url, secrets_keys=f"file:{key}") as app:
        yield app


async def test_a_node_whose_key_file_is_missing_refuses_writes_and_recovers_by_itself(
    url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    key = tmp_path / "key"
    caplog.set_level(logging.WARNING, "haulier.keys")
    async with node_without_its_key(url, key) as app:
        reason = f"{key}: No such file or directory"
        unready = {"status": "key unavailable", "setting": "secrets_keys", "reason": reason}
        assert await readiness(app) == (503, unready)
        assert reason in caplog.text
        refused = await app.rest("admin", "POST", "/v1/client/orderCreate", ORDER)
        assert (refused.status_code, refused.json()["code"]) == (503, "KEY_UNAVAILABLE")
        assert refused.headers["Retry-After"] == "10"
        key.write_text(f"{NEW}\n")
        assert await readiness(app) == READY
        assert "can be used again" in caplog.text
        created = await app.rest("admin", "POST", "/v1/client/orderCreate", ORDER)
        assert created.status_code == 200, created.text


async def test_a_file_with_an_invalid_key_is_reported_without_its_content(url: str, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("hunter2")
    async with node_without_its_key(url, key) as app:
        status, said = await readiness(app)
        assert (status, said["reason"]) == (503, f"{key}: a key to keep secrets with is 32 random bytes in base64")


async def test_no_secret_is_stored_in_clear_while_the_key_is_missing(url: str, tmp_path: Path) -> None:
    async with node_without_its_key(url, tmp_path / "key") as app:
        refused = await app.call("admin", "update_webhook_settings", {"endpoints": [ENDPOINT]})
        assert refused.error
        assert (refused.error or {})["code"] == "KEY_UNAVAILABLE"
        async with app.database.read(app.clients["demo"]) as work:
            assert await work.all(select(endpoints.c.id)) == []


async def test_a_worker_leaves_jobs_to_others_while_its_keys_are_refused(url: str) -> None:
    async with make_app(url, secrets_keys=OLD) as app:
        await app.answer("admin", "create_order", ORDER)
        ring = app.application.adapter(key_ring.KeyRing)
        ring.refusal = "another key"
        assert await app.worker().run_due() == 0
        ring.refusal = None
        assert await app.worker().run_due() > 0


async def test_a_node_with_other_keys_than_its_database_is_not_ready_and_names_them(url: str) -> None:
    assert await refusal_of(url, OLD) is None
    mismatch = await refusal_of(url, OTHER)
    lost = await refusal_of(url, None)
    (known, here), (missing, none) = (
        text.removeprefix(SAID).split(", and this node has ") for text in (mismatch, lost)
    )
    assert known == missing
    assert here.startswith("the keys ")
    assert none == "no keys"
    assert not any(key in mismatch for key in (OLD, OTHER))


async def test_without_its_keys_a_node_stores_no_secret_in_clear(url: str) -> None:
    assert await refusal_of(url, OLD) is None
    async with make_app(url) as app:
        assert (await readiness(app))[0] == 503
        refused = await app.call("admin", "update_webhook_settings", {"endpoints": [ENDPOINT]})
        assert (refused.error or {})["code"] == "KEY_UNAVAILABLE"


async def test_keys_are_rotated_node_by_node_and_the_old_one_is_removed(url: str) -> None:
    for keys in (OLD, f"{OLD},{NEW}", f"{NEW},{OLD}", f"{OLD},{NEW}", f"{NEW},{OLD}", NEW):
        assert await refusal_of(url, keys) is None
    assert await refusal_of(url, OLD)


def test_after_the_keys_are_lost_the_operator_accepts_others(url: str) -> None:
    assert asyncio.run(refusal_of(url, OLD)) is None
    said = CliRunner().invoke(command_line, ["config", "forget-keys", "--database", url])
    assert (said.exit_code, said.output) == (0, "1 keys forgotten\n")
    assert asyncio.run(refusal_of(url, NEW)) is None


async def test_a_signing_folder_that_cannot_be_used_makes_the_node_not_ready(url: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    async with make_app(url, signing_folder=str(tmp_path / "file" / "signing")) as app:
        status, said = await readiness(app)
        assert (status, said["status"]) == (503, "key unavailable")
