"""Expired counts of failed sign-ins are deleted."""

import asyncio

from sqlalchemy import func, select
from tests.support.app import App

from haulier.background import periodic_tasks
from haulier.contexts.identity.accounts.jobs import delete_old_failed_sign_ins
from haulier.contexts.identity.accounts.rules import FAILURES_KEPT, PER_EMAIL, pause_after
from haulier.contexts.identity.accounts.store.tables import failures


async def kept(app: App) -> int:
    async with app.database.read(None) as work:
        return await work.value(select(func.count()).select_from(failures))


async def fail(app: App, email: str) -> None:
    assert (await app.call(None, "login", {"email": email, "password": "no"}, address="203.0.113.7")).status == 401


async def test_failed_sign_ins_are_deleted_a_day_after_the_last_one(app: App) -> None:
    await fail(app, "guessed@x.example")
    app.clock.now += FAILURES_KEPT
    await fail(app, "later@x.example")
    await delete_old_failed_sign_ins.handler(app.application)
    assert await kept(app) == 4, "nothing is older than it may be"
    app.clock.forward(seconds=1)
    await delete_old_failed_sign_ins.handler(app.application)
    assert await kept(app) == 2


async def test_the_server_deletes_failed_sign_ins_automatically(app: App) -> None:
    await fail(app, "guessed@x.example")
    async with periodic_tasks(app.application, every_s=0.01):
        await asyncio.sleep(0.05)
        assert await kept(app) == 2, "it is not due yet"
        app.clock.now += FAILURES_KEPT * 2
        async with asyncio.timeout(60):
            while await kept(app):  # noqa: ASYNC110 - a round runs in another task
                await asyncio.sleep(0.005)
    assert await kept(app) == 0


def test_waiting_for_deletion_does_not_speed_up_guessing() -> None:
    at_the_slowest_pace = FAILURES_KEPT / pause_after(10**6, PER_EMAIL)
    assert at_the_slowest_pace > PER_EMAIL.free
