"""Periodic work of serving processes: token use in each, tasks in one."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from tests.support.app import App

from haulier.adapters.database import database_for
from haulier.background import periodic_tasks, run_periodic_task
from haulier.kernel.application import Application
from haulier.kernel.background.periodic import PeriodicTask


async def last_use(app: App, who: str) -> datetime | None:
    """Return when a user's token was last used, as shown to the user."""
    answer = await app.answer(who, "list_api_tokens")
    return answer.tokens[0].last_used_at


async def until(app: App, who: str) -> datetime:
    async with asyncio.timeout(60):
        while not (found := await last_use(app, who)):  # noqa: ASYNC110 - a round runs in another task
            await asyncio.sleep(0.005)
    return found


async def test_token_use_is_recorded_in_the_next_round(app: App) -> None:
    assert await last_use(app, "driver") is None
    async with periodic_tasks(app.application, every_s=0.01):
        assert await until(app, "driver") == app.clock.now


async def test_a_round_is_one_statement_for_any_number_of_tokens(app: App) -> None:
    for who in ("admin", "driver", "customer", "rival"):
        await app.answer(who, "who_am_i")
    before = app.statements
    async with periodic_tasks(app.application):
        pass
    assert app.statements - before == 1
    async with periodic_tasks(app.application):
        pass
    assert app.statements - before == 1, "there was nothing to write down"


async def test_token_use_since_the_last_round_is_recorded_on_shutdown(app: App) -> None:
    async with periodic_tasks(app.application):
        await app.answer("driver", "who_am_i")
    assert await last_use(app, "driver") == app.clock.now


async def test_a_failed_round_is_followed_by_another(app: App) -> None:
    identity: Any = app.application.identity
    note, failures = identity.record_token_use, []

    async def unlucky(*facts: Any) -> int:
        if not failures:
            failures.append(ConnectionError("the database is away"))
            raise failures[0]
        return await note(*facts)

    identity.record_token_use = unlucky
    async with periodic_tasks(app.application, every_s=0.01):
        assert await until(app, "driver") == app.clock.now
    assert failures


async def test_a_round_runs_on_one_node_and_the_next_on_any(app: App) -> None:
    ran: list[Application] = []

    async def note(application: Application) -> None:
        ran.append(application)

    nightly = PeriodicTask("note", timedelta(hours=1), note)
    one = app.application
    other = replace(one, database=database_for(app.database_url))
    await other.database.open()
    try:
        for minutes, node, count in (
            (0, one, 1),
            (0, other, 1),
            (59, other, 1),
            (60, other, 2),
            (61, one, 2),
            (120, one, 3),
        ):
            await run_periodic_task(node, nightly, app.clock.now + timedelta(minutes=minutes))
            assert len(ran) == count
    finally:
        await other.database.close()
