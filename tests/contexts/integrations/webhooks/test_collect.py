"""Events are enqueued in the transaction that publishes them, at constant cost."""

import inspect
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import func, select
from tests.contexts.integrations.webhooks.makers import (
    PLACE,
    list_deliveries,
    make_endpoint,
    make_local_receiver,
    make_order,
)
from tests.support.app import App

from haulier.app import load_tables
from haulier.contexts.integrations.webhooks.rules import (
    EVENT_BY_NAME,
    EVENT_CATALOG,
    is_subscribed,
    message_subject,
    split_event,
)
from haulier.kernel.background import job_table
from haulier.kernel.background.events import DomainEvent
from haulier.kernel.data.driver_session import DriverSession
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES
from haulier.kernel.operations.errors import CONFLICT

URL = "https://receiver.example/hooks"
NOT_POSTED: dict[str, str] = {
    "CarrierPushRefused": "the office lists refused events of webhooks and can push them again",
    "ClientCountrySet": "a setting of the business, which its own office makes; the audit log lists it",
    "DeliveryPinRenewed": "a PIN is a matter of the business and the recipient, who is told",
    "DriverDisabled": "people who come and go are told in the audit log",
    "PaymentReturned": "reservation.changed and the changes of what was paid tell it",
    "PartnerOrderMoved": "order.status_changed tells it of both orders",
    "StockFreed": "warehouse.stock_received and product.stock_adjusted tell it, and backorder.changed what follows",
    "ParcelsReported": "tracking.updated tells it, and shipment.moved or inbound_parcel.* what follows",
    "OrderJourneysChanged": "tracking.updated and tracking.corrected tell it, and order.status_changed what follows",
}
"""Events that are not posted to webhooks, and why."""


def declared_events() -> dict[str, type[DomainEvent]]:
    """Every event that a context declares, by the name of its class."""
    return {
        kind.__name__: kind for kind in DomainEvent.__subclasses__() if kind.__module__.startswith("haulier.contexts.")
    }


def test_the_catalog_contains_every_event_declared_by_a_context() -> None:
    load_tables()  # imports every module of every context
    names = {entry.record_name for entry in EVENT_CATALOG}
    assert sorted(declared_events().keys() - names - NOT_POSTED.keys()) == [], "add these to rules/event_catalog.py"
    assert sorted(names - declared_events().keys()) == []
    assert len(EVENT_BY_NAME) == len(EVENT_CATALOG)


def test_each_event_is_described_in_every_language_and_has_its_subject_field(app: App) -> None:
    faults: list[str] = []
    for entry in EVENT_CATALOG:
        translate = app.application.catalogues.translate
        texts = {translate(language, entry.text_id) for language in SUPPORTED_LANGUAGES}
        if len(texts) < len(SUPPORTED_LANGUAGES):
            faults.append(f"{entry.name}: the same text in two languages")
        field = entry.items_field or entry.subject_field
        if field and field not in declared_events()[entry.record_name].__struct_fields__:
            faults.append(f"{entry.name}: {entry.record_name} has no field {field}")
    assert faults == []


def test_customer_events_are_about_orders_and_contain_no_prices() -> None:
    faults: list[str] = []
    for entry in EVENT_CATALOG:
        if entry.for_customers:
            source = inspect.getsource(declared_events()[entry.record_name])
            if "price" in source or "_minor" in source or entry.kind not in ("order", "tracking"):
                faults.append(entry.name)
    assert faults == []


def test_an_event_with_a_list_becomes_one_message_per_item() -> None:
    several, one = EVENT_BY_NAME["tracking.corrected"], EVENT_BY_NAME["order.held"]
    assert split_event(several, {"tracking_numbers": ["A", "B"]}) == [
        {"tracking_number": "A"},
        {"tracking_number": "B"},
    ]
    assert [message_subject(several, part) for part in split_event(several, {"tracking_numbers": ["A"]})] == [
        "tracking:A"
    ]
    assert (split_event(one, {"order_id": 7}), message_subject(one, {"order_id": 7})) == ([{"order_id": 7}], "order:7")
    assert (is_subscribed(["*"], "order.held"), is_subscribed(["order.held"], "order.created")) == (True, False)


async def count_fan_out_jobs(app: App) -> int:
    async with app.database.read(None) as work:
        return await work.value(
            select(func.count()).select_from(job_table).where(job_table.c.kind == "webhooks.fan_out")
        )


async def test_events_without_a_subscriber_enqueue_no_job(app: App) -> None:
    await make_order(app)
    await make_endpoint(app, URL, "user.created")
    await make_order(app)
    assert await count_fan_out_jobs(app) == 0
    await make_endpoint(app, URL, "order.created")
    await make_order(app)
    assert await count_fan_out_jobs(app) == 1


async def test_events_of_a_rolled_back_savepoint_are_not_collected(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    await make_endpoint(app, URL)
    operation = app.application.registry["create_order"]

    async def fails_at_the_end(call: Any, request: Any) -> Any:
        await operation.handler(call, request)
        raise CONFLICT()

    async def in_a_savepoint(call: Any, request: Any) -> Any:
        try:
            async with call.work.savepoint():
                await fails_at_the_end(call, request)
        except Exception:
            return await operation.handler(call, request)

    for handler, jobs in ((fails_at_the_end, 0), (in_a_savepoint, 1)):
        changed = replace(operation, handler=handler)
        monkeypatch.setitem(app.application.registry._operations, "create_order", changed)
        await app.call("admin", "create_order", {"consignee": PLACE})
        assert await count_fan_out_jobs(app) == jobs
    async with app.database.read(None) as work:
        (job,) = await work.all(select(job_table).where(job_table.c.kind == "webhooks.fan_out"))
    assert [event["event"] for event in job.args["events"]].count("order.created") == 1


async def test_a_dry_run_lists_the_job_and_enqueues_none(app: App) -> None:
    await make_endpoint(app, URL, "order.created")
    outcome = await app.call("admin", "create_order", {"consignee": PLACE}, dry_run=True)
    assert "webhooks.fan_out" in [side_effect.kind for side_effect in outcome.side_effects or ()]
    assert await count_fan_out_jobs(app) == 0


async def test_a_call_costs_one_read_and_one_job_for_any_number_of_events(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    spent: list[int] = []
    run_deferred = DriverSession.run_deferred

    async def counted(session: DriverSession) -> None:
        before = session.statements
        await run_deferred(session)
        spent.append(session.statements - before)

    async def cost(count: int) -> int:
        spent.clear()
        orders = {"orders": [{"consignee": PLACE} for _ in range(count)]}
        await app.answer("admin", "bulk_create_orders", orders, confirmed=True)
        return sum(spent)

    monkeypatch.setattr(DriverSession, "run_deferred", counted)
    others = 3  # recipient notifications, geocoding and aggregates, one job each
    assert [await cost(2), await cost(20)] == [1 + others] * 2
    await make_endpoint(app, URL)
    assert [await cost(2), await cost(20)] == [2 + others] * 2


async def test_delivery_statements_do_not_grow_with_the_log(app: App) -> None:
    with make_local_receiver(app) as receiver:
        await make_endpoint(app, receiver.url(), "order.created")
        counts: list[int] = []
        for before_it in (0, 30):
            for _ in range(before_it):
                await make_order(app)
            await app.work_off()
            await make_order(app)
            before = app.statements
            await app.work_off()
            counts.append(app.statements - before)
        assert counts[0] == counts[1]
        assert len(await list_deliveries(app, status="delivered")) == 32
