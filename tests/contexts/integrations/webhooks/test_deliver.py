"""Delivery to a real receiver: once, signed, ordered, retried, and never lost."""

import asyncio
import threading

import pytest
from tests.contexts.integrations.webhooks.makers import (
    get_delivery,
    list_deliveries,
    make_endpoint,
    make_local_receiver,
    make_order,
    set_endpoints,
)
from tests.support.app import App

from haulier.adapters.webhooks import HttpWebhookSender
from haulier.contexts.integrations.ports import WebhookSender


async def test_an_order_event_is_delivered_once_and_signed(app: App) -> None:
    with make_local_receiver(app) as receiver:
        endpoint = await make_endpoint(app, receiver.url(), "order.created")
        order = await make_order(app, order_ref="A-1")
        await app.work_off()
        (got,) = receiver.received
        assert got.signed_with(endpoint.secret)
        assert got.headers["webhook-id"] == got.document["id"]
        assert got.headers["content-type"] == "application/json"
        told = {name: got.document[name] for name in ("event", "client", "subject", "version")}
        assert told == {"event": "order.created", "client": "demo", "subject": f"order:{order.id}", "version": 1}
        assert got.document["data"]["order"]["order_ref"] == "A-1"
        (log,) = await list_deliveries(app)
        assert (log.status, log.attempts, log.last_status, log.message_id) == ("delivered", 1, 200, got.document["id"])
        await app.work_off()
        assert len(receiver.received) == 1


async def test_a_tracking_update_contains_the_event_in_its_native_format(app: App) -> None:
    with make_local_receiver(app) as receiver:
        await make_endpoint(app, receiver.url(), "tracking.updated")
        order = await make_order(app)
        await app.work_off()
        (got,) = receiver.received
        data = got.document["data"]
        assert got.document["subject"] == f"tracking:{data['tracking_number']}"
        assert (data["order_id"], data["event"]["status_code"]) == (order.id, data["current_status"])
        assert {"event_id", "occurred_at", "phase", "source", "otep_version"} <= data["event"].keys()


async def test_delivered_events_are_valid_protocol_events(app: App) -> None:
    with make_local_receiver(app) as receiver:
        await make_endpoint(app, receiver.url(), "tracking.updated")
        order = await make_order(app)
        await app.answer("admin", "cancel_order", {"order_id": order.id})
        await app.work_off()
        told = sorted((each.document for each in receiver.received), key=lambda each: each["sequence"])
        events = [each["data"]["event"] for each in told]
        assert [event["status_code"] for event in events][-1] == "cancelled"
        subject = {"tracking_number": order.tracking_number}
        timeline = {"otep_version": "0.1.0", "profile": "parcel", "subject": subject, "events": events}
        checked = await app.answer(None, "validate_otep_payload", {"timeline": timeline})
        assert checked.valid, checked


async def test_every_endpoint_receives_the_same_message_with_the_same_id(app: App) -> None:
    with make_local_receiver(app) as receiver:
        urls = [receiver.url(path) for path in ("/a", "/b")]
        settings = await set_endpoints(
            app,
            {"url": urls[0], "events": ["order.created", "*"]},
            {"url": urls[1], "events": ["order.created"]},
        )
        await make_order(app)
        await app.work_off()
        created = [each for each in receiver.received if each.document["event"] == "order.created"]
        assert sorted(each.path for each in created) == ["/a", "/b"]
        assert len({each.headers["webhook-id"] for each in created}) == 1
        assert len({each.body for each in created}) == 1
        secrets = {f"/{endpoint.url[-1]}": endpoint.secret for endpoint in settings.endpoints}
        assert all(each.signed_with(secrets[each.path]) for each in created)
        assert not any(each.signed_with(secrets["/b" if each.path == "/a" else "/a"]) for each in created)


async def test_order_events_arrive_in_sequence_with_numbers(app: App) -> None:
    with make_local_receiver(app) as receiver:
        await make_endpoint(
            app, receiver.url(), "order.status_changed", "order.held", "order.released", "order.cancelled"
        )
        order = await make_order(app)
        for operation in ("hold_order", "release_order", "cancel_order"):
            await app.answer("admin", operation, {"order_id": order.id})
            await app.work_off()
        told = [each.document for each in receiver.received]
        assert [each["data"].get("step") or each["event"] for each in told] == [
            *("hold", "order.held"),
            *("release", "order.released"),
            *("cancel", "order.cancelled"),
        ]
        sequence = [each["sequence"] for each in told]
        assert sequence == sorted(set(sequence))


@pytest.mark.parametrize("status", [500, 404, 302, 429])
async def test_a_failed_delivery_is_retried_later(app: App, status: int) -> None:
    with make_local_receiver(app) as receiver:
        endpoint = await make_endpoint(app, receiver.url(), "order.created")
        receiver.will(status, location=receiver.url("/elsewhere"))
        await make_order(app)
        await app.work_off()
        (log,) = await list_deliveries(app)
        assert (log.status, log.last_status, log.attempts) == ("pending", status, 1)
        assert 4 <= (log.next_attempt_at - app.clock.now).total_seconds() <= 6
        await app.work_off()
        assert len(receiver.received) == 1, "not before its time"
        app.clock.forward(seconds=6)
        await app.work_off()
        first, second = receiver.received
        assert (second.path, second.body, second.headers["webhook-id"]) == ("/hooks", first.body, log.message_id)
        assert second.headers["webhook-timestamp"] > first.headers["webhook-timestamp"]
        assert second.signed_with(endpoint.secret)
        shown = await get_delivery(app, log.id)
        assert [(each.number, each.status) for each in shown.log] == [(1, status), (2, 200)]
        assert shown.status == "delivered"
        assert (await app.answer("admin", "get_webhook_settings")).endpoints[0].failures == 0


async def test_a_slow_receiver_is_retried(app: App) -> None:
    with make_local_receiver(app, timeout_s=0.3) as receiver:
        await make_endpoint(app, receiver.url(), "order.created")
        receiver.will(200, after=1.0)
        await make_order(app)
        await app.work_off()
        (log,) = await list_deliveries(app)
        assert (log.status, log.last_status, log.last_fault) == ("pending", None, "unreachable")
        app.application.adapters = {**app.application.adapters, WebhookSender: HttpWebhookSender(private=True)}
        app.clock.forward(seconds=6)
        await app.work_off()
        assert (await get_delivery(app, log.id)).status == "delivered"


async def test_a_receiver_can_request_a_longer_delay(app: App) -> None:
    with make_local_receiver(app) as receiver:
        await make_endpoint(app, receiver.url(), "order.created")
        receiver.will(503, retry_after="120")
        await make_order(app)
        await app.work_off()
        (log,) = await list_deliveries(app)
        assert (log.next_attempt_at - app.clock.now).total_seconds() == 120


async def test_a_delivery_is_abandoned_after_eight_attempts_in_28_hours(app: App) -> None:
    with make_local_receiver(app) as receiver:
        await make_endpoint(app, receiver.url(), "order.created")
        for _ in range(8):
            receiver.will(500)
        await make_order(app)
        began = app.clock.now
        await app.work_off()
        while (log := (await list_deliveries(app))[0]).next_attempt_at:
            app.clock.now = log.next_attempt_at
            await app.work_off()
        assert (log.status, log.attempts, len(receiver.received)) == ("failed", 8, 8)
        assert 20 <= (log.ended_at - began).total_seconds() / 3600 <= 35
        await app.work_off()
        assert len(receiver.received) == 8


async def test_a_worker_killed_before_recording_a_post_delivers_twice_and_never_loses_a_message(
    app: App,
) -> None:
    with make_local_receiver(app) as receiver:
        await make_endpoint(app, receiver.url(), "order.created")
        await make_order(app)
        while not receiver.received:
            answered = threading.Event()  # explicit, because the response may otherwise arrive before the worker dies
            receiver.will(200, after=answered)
            worker = app.worker()
            working = asyncio.create_task(worker.run_due())
            while not receiver.received and not working.done():  # noqa: ASYNC110 - the receiver is a thread
                await asyncio.sleep(0.01)
            receiver.answers.clear()
            for _, task in worker._running.values():
                task.cancel()
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)
            answered.set()
        (log,) = await list_deliveries(app)
        assert (log.status, log.attempts) == ("pending", 0)
        app.clock.forward(minutes=2)
        await app.worker()._extend_leases()
        await app.work_off()
        assert {each.headers["webhook-id"] for each in receiver.received} == {log.message_id}
        assert len(receiver.received) == 2
        assert (await get_delivery(app, log.id)).status == "delivered"
