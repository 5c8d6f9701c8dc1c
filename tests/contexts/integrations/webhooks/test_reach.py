"""An endpoint receives only what its creator may currently read."""

from typing import Any

from sqlalchemy import update
from tests.contexts.integrations.webhooks.makers import (
    get_delivery,
    list_deliveries,
    make_endpoint,
    make_local_receiver,
    make_order,
    set_endpoints,
)
from tests.support.app import App

from haulier.app import registry
from haulier.contexts.integrations.webhooks.rules import EVENT_CATALOG
from haulier.contexts.integrations.webhooks.store import endpoints
from haulier.kernel.operations.enums import OFFICE, Effect

URL = "https://receiver.example/hooks"


async def issue_token_response(app: App, *scopes: str, who: str = "admin") -> int:
    """Give the caller `weak` a token with some scopes. Returns its id."""
    issued = await app.answer(who, "issue_api_token", {"name": "weak", "scopes": list(scopes)})
    app.tokens["weak"] = issued.access_token
    return issued.id


async def set_up(app: App, *events: str, url: str = URL, **words: Any) -> Any:
    """The result of setting one endpoint as `weak`."""
    return await app.call("weak", "update_webhook_settings", {"endpoints": [{"url": url, "events": events, **words}]})


def code(result: Any) -> tuple[int, str]:
    return result.status, result.error["code"]


def test_every_event_names_the_operation_that_reads_its_data() -> None:
    readers = {entry.name: registry()[entry.read_by] for entry in EVENT_CATALOG}
    assert [name for name, operation in readers.items() if operation.effect is not Effect.READ] == []
    assert [name for name, operation in readers.items() if not operation.audience >= OFFICE] == []


async def test_an_event_requires_the_scope_needed_to_read_its_data(app: App) -> None:
    await issue_token_response(app, "webhooks:write", "webhooks:read")
    for events in (["*"], ["order.created"], ["user.created"]):
        assert code(await set_up(app, *events)) == (403, "SCOPES_EXCEEDED"), events
    await issue_token_response(app, "webhooks:write", "orders:read")
    assert (await set_up(app, "order.created")).error is None
    assert code(await set_up(app, "order.created", "user.created")) == (403, "SCOPES_EXCEEDED")


async def test_settings_without_wider_access_need_no_more_scopes(app: App) -> None:
    await set_endpoints(app, {"url": URL, "events": ["*"]})
    await issue_token_response(app, "webhooks:write")
    assert (await set_up(app, "*", description="Ours")).error is None
    assert (await set_up(app, "order.created")).error is None
    assert (await set_up(app, "order.created", enabled=False)).error is None
    assert code(await set_up(app, "order.created", enabled=True)) == (403, "SCOPES_EXCEEDED")
    assert code(await set_up(app, "*")) == (403, "SCOPES_EXCEEDED")


async def test_an_endpoint_ends_with_the_token_that_created_it(app: App) -> None:
    token_id = await issue_token_response(app, "webhooks:write", "orders:read")
    with make_local_receiver(app) as receiver:
        await set_up(app, "order.created", url=receiver.url())
        await make_order(app)
        await app.work_off()
        assert len(receiver.received) == 1
        await app.answer("admin", "revoke_api_token", {"token_id": token_id})
        shown = (await app.answer("admin", "get_webhook_settings")).endpoints[0]
        assert (shown.disabled_why, shown.set_up_by, shown.set_up_with) == ("set_up_ended", app.ids["admin"], token_id)
        await make_order(app)
        await app.work_off()
        assert len(receiver.received) == 1
        shown = (await app.answer("admin", "get_webhook_settings")).endpoints[0]
        assert (shown.enabled, shown.disabled_why) == (False, "set_up_ended")
        entry = (await app.answer("admin", "list_audit_entries", {"operation": "update_webhook_settings"})).entries[0]
        assert entry.request["disabled_why"] == "set_up_ended"
        await set_endpoints(app, {"url": receiver.url(), "events": ["order.created"]})
        await make_order(app)
        await app.work_off()
        assert len(receiver.received) == 2


async def test_a_pending_delivery_is_not_sent_after_the_token_ends(app: App) -> None:
    token_id = await issue_token_response(app, "webhooks:write", "orders:read")
    with make_local_receiver(app) as receiver:
        receiver.will(500)
        await set_up(app, "order.created", url=receiver.url())
        await make_order(app)
        await app.work_off()
        await app.answer("admin", "revoke_api_token", {"token_id": token_id})
        app.clock.forward(minutes=10)
        await app.work_off()
        assert len(receiver.received) == 1
    delivery = (await list_deliveries(app))[0]
    assert (delivery.status, delivery.last_fault) == ("skipped", "not_permitted")


async def test_a_user_without_read_access_to_an_event_no_longer_receives_it(app: App) -> None:
    await make_endpoint(app, URL, "order.created", who="employee")
    await app.answer("admin", "set_permissions", {"user_id": app.ids["employee"], "scopes": ["webhooks:write"]})
    await make_order(app)
    await app.work_off()
    assert await list_deliveries(app) == []
    shown = (await app.answer("admin", "get_webhook_settings")).endpoints[0]
    assert (shown.enabled, shown.disabled_why) == (True, None)


async def test_an_endpoint_without_a_recorded_creator_belongs_to_the_business(app: App) -> None:
    await make_endpoint(app, URL, "order.created")
    async with app.database.write(app.clients["demo"]) as work:
        await work.run(update(endpoints).values(set_up_by=None, set_up_with=None))
    await make_order(app)
    await app.work_off()
    assert len(await list_deliveries(app)) == 1


async def test_the_log_shows_messages_only_to_users_with_access_to_the_record(app: App) -> None:
    await make_endpoint(app, URL, "order.created")
    order = await make_order(app)
    await app.work_off()
    id = (await list_deliveries(app))[0].id
    assert (await get_delivery(app, id)).payload["data"]["order_id"] == order.id
    await issue_token_response(app, "webhooks:read")
    shown = (await app.answer("weak", "get_webhook_delivery_log", {"delivery_log_id": id})).delivery
    assert (shown.payload["data"], shown.data_hidden) == ({}, True)
