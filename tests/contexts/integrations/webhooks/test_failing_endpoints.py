"""Failing endpoints are paused, disabled and reported without delaying others."""

import asyncio
import json
import threading

from tests.contexts.identity.mailbox import received_mails
from tests.contexts.integrations.webhooks.makers import (
    list_deliveries,
    make_endpoint,
    make_local_receiver,
    make_order,
    set_endpoints,
)
from tests.support.app import App

from haulier.background import QUEUES
from haulier.contexts.integrations.webhooks.jobs import DELIVERY_QUEUE, deliver_messages
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES


async def the_endpoint(app: App) -> object:
    return (await app.answer("admin", "get_webhook_settings")).endpoints[0]


async def test_an_endpoint_that_is_gone_is_disabled_immediately_and_admins_are_notified(app: App) -> None:
    with make_local_receiver(app) as receiver:
        await make_endpoint(app, receiver.url(), "order.created")
        receiver.will(410)
        await make_order(app)
        await app.work_off()
        endpoint = await the_endpoint(app)
        assert (endpoint.enabled, endpoint.disabled_why) == (False, "gone")  # type: ignore[attr-defined]
        (letter,) = await received_mails(app, "admin@demo.example")
        assert receiver.url() in letter.text
        await make_order(app)
        await app.work_off()
        assert len(receiver.received) == 1
        assert [log.status for log in await list_deliveries(app)] == ["failed"]
        again = await make_endpoint(app, receiver.url(), "order.created")
        assert (again.enabled, again.disabled_at, again.failures) == (True, None, 0)


async def test_five_days_without_success_disable_an_endpoint_with_one_email_per_admin(app: App) -> None:
    with make_local_receiver(app) as receiver:
        await make_endpoint(app, receiver.url(), "order.created")
        for day in range(6):
            for _ in range(2):
                receiver.will(500)
                await make_order(app)
            await app.work_off()
            on = (await the_endpoint(app)).enabled  # type: ignore[attr-defined]
            assert on == (day < 5)
            receiver.answers = [(500, {}, 0.0)] * 40
            app.clock.forward(days=1)
            await app.work_off()
            receiver.answers.clear()
        assert (await the_endpoint(app)).disabled_why == "failing"  # type: ignore[attr-defined]
        assert len(await received_mails(app, "admin@demo.example")) == 1
        waiting = [log for log in await list_deliveries(app) if log.status == "pending"]
        app.clock.forward(days=2)
        await app.work_off()
        assert {log.status for log in await list_deliveries(app) if log.id in {each.id for each in waiting}} <= {
            "skipped",
            "failed",
        }


async def test_a_success_resets_the_failure_period(app: App) -> None:
    with make_local_receiver(app) as receiver:
        await make_endpoint(app, receiver.url(), "order.created")
        receiver.will(500)
        await make_order(app)
        await app.work_off()
        assert (await the_endpoint(app)).failing_since == app.clock.now  # type: ignore[attr-defined]
        app.clock.forward(seconds=6)
        await app.work_off()
        endpoint = await the_endpoint(app)
        assert (endpoint.failures, endpoint.failing_since) == (0, None)  # type: ignore[attr-defined]


async def test_after_ten_failures_an_endpoint_pauses_for_a_minute_without_loss(app: App) -> None:
    with make_local_receiver(app) as receiver:
        await make_endpoint(app, receiver.url(), "order.created")
        for _ in range(10):
            receiver.will(500)
            await make_order(app)
            await app.work_off()
        await make_order(app)
        await app.work_off()
        assert len(receiver.received) == 10
        newest = (await list_deliveries(app))[0]
        assert (newest.status, newest.attempts) == ("pending", 0)
        app.clock.forward(seconds=66)
        await app.work_off()
        assert {log.status for log in await list_deliveries(app)} == {"delivered"}


async def test_unresponsive_receivers_do_not_delay_others(app: App) -> None:
    """They use a separate lane: another kind of job runs while every delivery hangs."""
    assert deliver_messages.queue == DELIVERY_QUEUE
    assert DELIVERY_QUEUE in QUEUES
    answered = threading.Event()
    with make_local_receiver(app, timeout_s=60) as receiver:
        await set_endpoints(app, *({"url": receiver.url(f"/{n}"), "events": ["order.created"]} for n in range(20)))
        receiver.answers = [(200, {}, answered)] * 20
        await make_order(app)
        worker = app.worker()
        working = asyncio.create_task(worker.run_due())
        try:
            async with asyncio.timeout(60):
                while len(receiver.received) < 20:  # noqa: ASYNC110 - the receiver is a thread
                    await asyncio.sleep(0.01)
            room = worker._free_slots()
        finally:
            answered.set()
        assert room["default"] == 16
        assert room[DELIVERY_QUEUE] == QUEUES[DELIVERY_QUEUE] - 20
        await working


def test_the_emails_are_complete_in_every_language(app: App) -> None:
    for why in ("gone", "failing"):
        words = {"name": "Ann", "client": "Demo", "url": "https://r.example/", "since": "10 June"}
        said = {
            language: app.application.catalogues.translate(language, f"webhook_{why}_text", **words)
            for language in SUPPORTED_LANGUAGES
        }
        assert len(set(said.values())) == len(SUPPORTED_LANGUAGES)
        assert all("https://r.example/" in text and "Ann" in text for text in said.values()), json.dumps(said)
