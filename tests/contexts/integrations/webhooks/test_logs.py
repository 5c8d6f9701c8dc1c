"""Delivery logs: list, filter, view, replay, recovery, deletion and tenancy."""

from datetime import timedelta
from typing import Any

from sqlalchemy import func, select
from tests.contexts.integrations.webhooks.makers import (
    get_delivery,
    list_deliveries,
    make_endpoint,
    make_local_receiver,
    make_order,
)
from tests.support.app import App
from tests.support.every_case import for_every

from haulier.contexts.control_tower.retention.jobs import schedule_retention
from haulier.contexts.integrations.webhooks.store import attempts, deliveries


async def some_deliveries(app: App, url: str, count: int = 3) -> list[Any]:
    """Create a log with deliveries of orders; return it newest first."""
    await make_endpoint(app, url, "order.created")
    for _ in range(count):
        await make_order(app)
    await app.work_off()
    return await list_deliveries(app)


async def test_a_replay_posts_the_same_body_with_the_same_id_and_a_new_signature(app: App) -> None:
    with make_local_receiver(app) as receiver:
        (log,) = await some_deliveries(app, receiver.url(), 1)
        app.clock.forward(hours=3)
        answer = await app.rest("admin", "POST", f"/v1/webhook-deliveries/{log.id}/replay")
        assert answer.json()["delivery_log_ids"] == [log.id]
        await app.work_off()
        first, second = receiver.received
        assert (first.body, first.headers["webhook-id"]) == (second.body, second.headers["webhook-id"])
        assert int(second.headers["webhook-timestamp"]) - int(first.headers["webhook-timestamp"]) == 3 * 3600
        shown = await get_delivery(app, log.id)
        assert [(each.number, each.replayed) for each in shown.log] == [(1, False), (2, True)]
        assert (shown.status, shown.attempts) == ("delivered", 2)


async def test_a_failed_replay_restarts_the_retry_schedule(app: App) -> None:
    with make_local_receiver(app) as receiver:
        (log,) = await some_deliveries(app, receiver.url(), 1)
        receiver.will(500)
        await app.answer("admin", "replay_webhook_delivery", {"delivery_log_id": log.id})
        await app.work_off()
        app.clock.forward(seconds=6)
        await app.work_off()
        shown = await get_delivery(app, log.id)
        assert [each.status for each in shown.log] == [200, 500, 200]
        assert shown.status == "delivered"


async def test_a_replay_replaces_a_waiting_retry(app: App) -> None:
    with make_local_receiver(app) as receiver:
        receiver.will(500)
        (log,) = await some_deliveries(app, receiver.url(), 1)
        await app.answer("admin", "replay_webhook_delivery", {"delivery_log_id": log.id})
        await app.work_off()
        app.clock.forward(hours=1)
        await app.work_off()
        assert len(receiver.received) == 2


async def test_an_endpoint_disabled_when_messages_are_created_has_nothing_to_recover(app: App) -> None:
    with make_local_receiver(app) as receiver:
        endpoint = await make_endpoint(app, receiver.url(), "order.created")
        await make_endpoint(app, receiver.url(), "order.created", enabled=False)
        await make_order(app)
        await app.work_off()
        await make_endpoint(app, receiver.url(), "order.created")
        asked = {"endpoint_id": endpoint.id, "since": app.clock.now - timedelta(hours=1)}
        assert (await app.answer("admin", "recover_webhook_deliveries", asked)).delivery_log_ids == []
        assert (receiver.received, await list_deliveries(app)) == ([], [])


async def test_messages_skipped_by_a_disabled_endpoint_can_be_recovered(app: App) -> None:
    with make_local_receiver(app) as receiver:
        endpoint = await make_endpoint(app, receiver.url(), "order.created")
        receiver.will(500)
        receiver.will(500)
        for _ in range(2):
            await make_order(app)
        await app.work_off()
        await make_endpoint(app, receiver.url(), "order.created", enabled=False)
        app.clock.forward(seconds=6)
        await app.work_off()
        assert [(log.status, log.last_fault) for log in await list_deliveries(app)] == [("skipped", "disabled")] * 2
        asked = {"endpoint_id": endpoint.id, "since": app.clock.now - timedelta(hours=1)}
        refused = await app.call("admin", "recover_webhook_deliveries", asked)
        assert refused.error
        assert refused.error["code"] == "WEBHOOK_ENDPOINT_OFF"
        await make_endpoint(app, receiver.url(), "order.created")
        found = await app.answer("admin", "recover_webhook_deliveries", asked)
        assert (len(found.delivery_log_ids), found.more) == (2, False)
        await app.work_off()
        # Posted side by side, they come in any order: their sequence says which was first.
        assert len({each.document["sequence"] for each in receiver.received[2:]}) == 2
        assert [log.status for log in await list_deliveries(app)] == ["delivered"] * 2


async def test_another_clients_log_is_not_found(app: App) -> None:
    with make_local_receiver(app) as receiver:
        (log,) = await some_deliveries(app, receiver.url(), 1)
        assert await list_deliveries(app, "rival") == []
        for operation in ("get_webhook_delivery_log", "replay_webhook_delivery"):
            outcome = await app.call("rival", operation, {"delivery_log_id": log.id})
            assert outcome.status == 404


async def test_messages_never_reach_another_client(app: App) -> None:
    with make_local_receiver(app) as receiver:
        await make_endpoint(app, receiver.url("/demo"), "*")
        await make_endpoint(app, receiver.url("/rival"), "*", who="rival")
        await make_order(app)
        await make_order(app, "rival")
        await app.work_off()
        told = {(each.path, each.document["client"]) for each in receiver.received}
        assert told == {("/demo", "demo"), ("/rival", "rival")}


async def test_the_log_can_be_filtered_and_paged(app: App) -> None:
    with make_local_receiver(app) as receiver:
        receiver.will(500)
        found = await some_deliveries(app, receiver.url(), 5)
        assert [log.id for log in found] == sorted((log.id for log in found), reverse=True)
        one = found[1]
        for asked in ({"subject": one.subject}, {"message_id": one.message_id}):
            assert [log.id for log in await list_deliveries(app, **asked)] == [one.id]
        assert len(await list_deliveries(app, status="pending")) == 1
        assert (
            len(await list_deliveries(app, status="delivered", event="order.created", endpoint_id=one.endpoint_id)) == 4
        )
        assert await list_deliveries(app, event="order.cancelled") == []
        assert await list_deliveries(app, since=app.clock.now + timedelta(seconds=1)) == []
        paged: list[int] = []
        cursor = None
        while True:
            page = await app.answer("admin", "get_webhook_delivery_logs", {"limit": 2, "cursor": cursor})
            paged += [log.id for log in page.deliveries]
            if (cursor := page.next_cursor) is None:
                break
        assert paged == [log.id for log in found]


@for_every("cursor", ["x", "W10", "WyJhIl0", "WzkwMDcxOTkyNTQ3NDA5OTNd"])
async def test_a_forged_cursor_is_refused(app: App, cursor: str) -> None:
    outcome = await app.call("admin", "get_webhook_delivery_logs", {"cursor": cursor})
    assert outcome.status == 422


async def test_listing_uses_a_constant_number_of_statements(app: App) -> None:
    with make_local_receiver(app) as receiver:
        await some_deliveries(app, receiver.url(), 2)
        before = app.statements
        await list_deliveries(app)
        few = app.statements - before
        await some_deliveries(app, receiver.url(), 20)
        before = app.statements
        await list_deliveries(app)
        assert app.statements - before == few


async def make_round(app: App) -> None:
    """The daily round of retention."""
    await schedule_retention.handler(app.application)
    await app.work_off()


async def test_log_entries_are_deleted_after_a_month(app: App) -> None:
    with make_local_receiver(app) as receiver:
        await some_deliveries(app, receiver.url(), 3)
        app.clock.forward(days=29)
        await some_deliveries(app, receiver.url(), 1)
        await make_round(app)
        assert len(await list_deliveries(app)) == 4
        app.clock.forward(days=2)
        await make_round(app)
        assert len(await list_deliveries(app)) == 1
        async with app.database.read(None) as plain:
            work = plain.without_tenant_filter("a test looks")
            left = [await work.value(select(func.count()).select_from(table)) for table in (deliveries, attempts)]
        assert left == [1, 1]
