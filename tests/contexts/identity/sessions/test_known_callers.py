"""Nodes cache callers for some seconds, and no longer than their rights last."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import asyncpg
import pytest
from sqlalchemy import Table
from sqlalchemy.sql import visitors
from tests.contexts.identity.sessions.steps import SECRET, ben
from tests.support.app import App

from haulier.adapters.database import database_for
from haulier.app import build_application
from haulier.contexts.identity.accounts.store import tokens as tokens_store
from haulier.contexts.tracking.providers.store import provider_keys
from haulier.kernel.application import Application
from haulier.kernel.data.tables import announcement_of
from haulier.kernel.known_callers import REMEMBERED_FOR_S
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.run import handle_request
from haulier.kernel.principal import CALLERS_CHANNEL
from haulier.settings import Settings

HEARD_WITHIN_S = 120
REVOKE = "UPDATE access_token SET revoked_at = '2026-06-10T14:00:00.000000Z'"


class OtherNode:
    """A second node on the database of a test, with the same clock."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self.heard = asyncio.Event()

    async def call(self, app: App, who: str, operation: str = "who_am_i") -> tuple[int, Any]:
        """The status and the answer, or the code, that a role gets there."""
        request = OperationRequest(
            operation=self.application.registry[operation], interface="rest", request_id="other", token=app.tokens[who]
        )
        result = await handle_request(self.application, request)
        return result.status, result.error["code"] if result.error else result.answer

    async def hears(self) -> None:
        """Wait for the notice of the first node's last write.

        Nodes that share a file send none.
        """
        if self.application.database.dialect != "sqlite":
            await asyncio.wait_for(self.heard.wait(), HEARD_WITHIN_S)
        self.heard.clear()


@pytest.fixture
async def other(app: App) -> AsyncIterator[OtherNode]:
    """Another node, which remembers callers, too."""
    settings = Settings(background=False, rate_limits=False, base_url="http://test", database=app.database_url)
    application = build_application(settings, database_for(app.database_url))
    application.clock = app.clock
    application.callers.cache.seconds = lambda: app.clock.now.timestamp()
    await application.database.open()
    node = OtherNode(application)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(application.database.close)
        await application.callers.listen(stack)
        stack.callback(await application.database.listen(CALLERS_CHANNEL, lambda _: node.heard.set()))
        yield node


async def test_a_returning_caller_saves_one_statement(app: App, other: OtherNode) -> None:
    costs = []
    for _ in range(2):
        before = app.statements
        await app.answer("employee", "list_roles")
        costs.append(app.statements - before)
    assert costs[1] == costs[0] - 1


async def test_a_blocked_caller_is_refused_immediately_and_on_other_nodes_after_the_notification(
    app: App, other: OtherNode
) -> None:
    shut_out: dict[str, tuple[str, dict[str, Any]]] = {
        "signs out": ("logout", {}),
        "signs out everywhere": ("logout_everywhere", {}),
        "is signed out": ("end_user_sessions", {"user_id": 0}),
        "gets another password": ("set_user_password", {"user_id": 0, "password": "another long sentence"}),
        "is disabled": ("disable_user", {"user_id": 0}),
    }
    id = await ben(app)
    for what, (operation, values) in shut_out.items():
        credentials = {"email": "ben@demo.example", "password": SECRET, "device": what}
        app.tokens["ben"] = (await app.answer(None, "login", credentials)).access_token
        for _ in range(2):
            assert (await app.call("ben", "who_am_i")).status == (await other.call(app, "ben"))[0] == 200, what
        other.heard.clear()
        await app.answer("admin" if "user_id" in values else "ben", operation, values and {**values, "user_id": id})
        assert (await app.call("ben", "who_am_i")).status == 401, what
        await other.hears()
        assert await other.call(app, "ben") == (401, "INVALID_TOKEN"), what
        if "password" in values:
            await app.answer("admin", operation, {"user_id": id, "password": SECRET})


async def test_changed_permissions_apply_immediately_and_on_other_nodes_after_the_notification(
    app: App, other: OtherNode
) -> None:
    employee, customer = app.ids["employee"], app.ids["customer"]
    module = {"module": "broker_order_assignments"}
    changes: list[tuple[str, str, dict[str, Any], str]] = [
        ("employee", "set_permissions", {"user_id": employee, "role": "viewer"}, "scopes"),
        ("employee", "set_permissions", {"user_id": employee, "role": "dispatcher"}, "scopes"),
        ("customer", "set_price_visibility", {"customer_id": customer, "hidden": ["label_service"]}, "hidden_prices"),
        ("employee", "set_module", {**module, "enabled": False}, "business"),
        ("employee", "update_client", {"time_zone": "America/Vancouver"}, "business"),
        ("employee", "update_user", {"user_id": employee, "name": "Mia Chen"}, "name"),
    ]
    nodes = (app.application, other.application)
    for who, operation, values, fact in changes:
        token, now = app.tokens[who], app.clock.now
        before = [getattr(await node.callers.identify(token, now), fact) for node in nodes]
        other.heard.clear()
        await app.answer("admin", operation, values)
        here = getattr(await nodes[0].callers.identify(token, now), fact)
        await other.hears()
        there = getattr(await nodes[1].callers.identify(token, now), fact)
        assert here == there != before[0] == before[1], (operation, values)


async def test_a_lost_notification_is_compensated_within_the_cache_window(app: App, other: OtherNode) -> None:
    assert (await other.call(app, "employee"))[0] == 200
    await write_without_a_notice(app, REVOKE)
    if app.database.dialect == "sqlite":
        assert (await other.call(app, "employee"))[0] == 401  # the commit of another process is seen by itself
    app.clock.forward(seconds=REMEMBERED_FOR_S + 0.001)
    assert (await other.call(app, "employee"))[0] == 401


async def test_a_token_expires_on_time_despite_the_cache(app: App, other: OtherNode) -> None:
    assert (await other.call(app, "employee"))[0] == 200
    known = await other.application.callers.identify(app.tokens["employee"], app.clock.now)
    assert known.token_expires_at
    app.clock.now = known.token_expires_at
    other.application.callers.cache.seconds = lambda: 0.0
    assert await other.call(app, "employee") == (401, "TOKEN_EXPIRED")


def test_every_table_used_for_authentication_announces_its_writes() -> None:
    read = {table for table in visitors.iterate(tokens_store._bearer) if isinstance(table, Table)}
    silent = [table.name for table in {*read, provider_keys} if announcement_of(table) is None]
    assert (len(read), silent) == (4, [])


async def write_without_a_notice(app: App, sql: str) -> None:
    """Write by SQL, as if the writing node had died before its notice."""
    if app.database.dialect == "sqlite":
        with sqlite3.connect(app.database_url.removeprefix("sqlite:///")) as connection:
            connection.execute(sql)
        connection.close()
        await asyncio.sleep(0)  # reads of one turn of the event loop see one snapshot
        return
    connection = await asyncpg.connect(app.database_url)
    try:
        await connection.execute("SET haulier.client = '*'")
        await connection.execute(sql)
    finally:
        await connection.close()
