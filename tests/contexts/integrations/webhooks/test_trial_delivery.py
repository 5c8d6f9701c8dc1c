"""Test deliveries: allowed addresses, real signatures, once, immediate result."""

from typing import Any

from msgspec import UNSET
from tests.contexts.integrations.webhooks.makers import (
    get_delivery,
    list_deliveries,
    make_endpoint,
    make_local_receiver,
)
from tests.support.app import App
from tests.support.every_case import for_every

from haulier.contexts.integrations.webhooks.rules import generate_webhook_secret


async def try_it(app: App, url: str, **words: Any) -> Any:
    return await app.answer("admin", "test_webhook_delivery", {"url": url, **words})


async def test_an_unregistered_address_gets_a_message_signed_with_a_new_secret(app: App) -> None:
    with make_local_receiver(app) as receiver:
        answer = await try_it(app, receiver.url("/anywhere"))
        (got,) = receiver.received
        assert (answer.delivered, answer.status, answer.response) == (True, 200, "thank you")
        assert got.signed_with(answer.secret)
        assert (got.document["event"], got.document["test"], answer.body) == ("webhook.test", True, got.body.decode())
        assert answer.headers.items() <= got.headers.items()
        (log,) = await list_deliveries(app)
        assert (log.id, log.endpoint_id, log.status) == (answer.delivery_log_id, None, "delivered")


async def test_an_endpoint_is_tested_with_its_own_secret_unless_one_is_given(app: App) -> None:
    with make_local_receiver(app) as receiver:
        endpoint = await make_endpoint(app, receiver.url())
        assert (await try_it(app, receiver.url())).secret is UNSET, "it is not shown again"
        assert receiver.received[-1].signed_with(endpoint.secret)
        given = generate_webhook_secret()
        await try_it(app, receiver.url(), secret=given)
        assert receiver.received[-1].signed_with(given)
        (last, _) = await list_deliveries(app)
        assert last.endpoint_id == endpoint.id


@for_every(("status", "delivered"), [(204, True), (302, False), (500, False)])
async def test_the_outcome_of_the_test_is_returned_without_retries(app: App, status: int, delivered: bool) -> None:
    with make_local_receiver(app) as receiver:
        receiver.will(status, location=receiver.url("/else"))
        answer = await try_it(app, receiver.url())
        assert (answer.delivered, answer.status) == (delivered, status)
        app.clock.forward(days=2)
        await app.work_off()
        assert len(receiver.received) == 1
        assert (await get_delivery(app, answer.delivery_log_id)).log[0].status == status


async def test_a_dry_run_posts_nothing_and_logs_nothing(app: App) -> None:
    with make_local_receiver(app) as receiver:
        outcome = await app.call("admin", "test_webhook_delivery", {"url": receiver.url()}, dry_run=True)
        assert outcome.error is None
        assert (outcome.answer.delivered, receiver.received) == (False, [])  # type: ignore[union-attr]
        assert await list_deliveries(app) == []


async def test_unauthorized_callers_cannot_trigger_a_test(app: App) -> None:
    with make_local_receiver(app) as receiver:
        for who in (None, "customer", "driver"):
            assert (await app.call(who, "test_webhook_delivery", {"url": receiver.url()})).error
        assert receiver.received == []


async def test_a_test_of_an_unregistered_address_cannot_be_replayed(app: App) -> None:
    with make_local_receiver(app) as receiver:
        answer = await try_it(app, receiver.url())
        outcome = await app.call("admin", "replay_webhook_delivery", {"delivery_log_id": answer.delivery_log_id})
        assert outcome.error
        assert outcome.error["code"] == "WEBHOOK_ENDPOINT_OFF"
