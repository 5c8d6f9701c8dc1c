"""Visibility of orders, write access, and refusals."""

from typing import Any

import pytest
from tests.support.app import App
from tests.support.every_case import for_every
from tests.support.transport import make_order, order_row, set_order, status_and_code

from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus

READS: tuple[str, ...] = ("get_order_detail", "order_snapshot")
OFFICE_ONLY: dict[str, dict[str, Any]] = {
    "update_order_note": {"note": "x"},
    "hold_order": {},
    "release_order": {},
}


@pytest.mark.parametrize("operation", READS)
async def test_a_foreign_order_is_not_found(app: App, operation: str) -> None:
    order_id = await make_order(app, "customer")
    await set_order(app, order_id, contractor_id=app.ids["contractor"], driver_id=app.ids["driver"])
    statuses = {}
    for who in (
        "admin",
        "employee",
        "customer",
        "contractor",
        "driver",
        "customer2",
        "contractor2",
        "driver2",
        "rival",
    ):
        statuses[who] = (await app.call(who, operation, {"order_id": order_id})).status
    theirs = dict.fromkeys(("admin", "employee", "customer", "contractor", "driver"), 200)
    assert statuses == {**theirs, **dict.fromkeys(("customer2", "contractor2", "driver2", "rival"), 404)}


async def test_a_driver_lists_and_finds_only_orders_they_carry(app: App) -> None:
    mine, other = await make_order(app, order_ref="MINE"), await make_order(app, order_ref="OTHER")
    await set_order(app, mine, driver_id=app.ids["driver"])
    await set_order(app, other, driver_id=app.ids["driver2"])
    assert [order.id for order in (await app.answer("driver", "get_orders")).orders] == [mine]
    assert [order.id for order in (await app.answer("driver", "find_order", {"search": "lovelace"})).orders] == [mine]
    assert (await app.answer("driver", "find_order", {"search": "OTHER"})).orders == []


async def test_a_filter_cannot_widen_the_callers_access(app: App) -> None:
    await make_order(app, "customer")
    asked = {"customer_id": app.ids["customer"]}
    assert (await app.answer("customer2", "get_orders", asked)).total == 0


@for_every("operation", OFFICE_ONLY)
async def test_only_the_office_can_process_orders(app: App, operation: str) -> None:
    order_id = await make_order(app, "customer")
    values = {"order_id": order_id, **OFFICE_ONLY[operation]}
    for who in ("customer", "contractor", "driver"):
        assert (await app.call(who, operation, values)).status == 403
    assert (await app.call("rival", operation, values)).status == 404
    assert (await app.call(None, operation, values)).status == 401
    assert (await order_row(app, order_id)).status == OrderStatus.NEW_ORDER


async def test_anonymous_callers_can_neither_read_nor_create_orders(app: App) -> None:
    for operation, values in (("get_orders", {}), ("find_order", {"search": "ada"}), ("create_order", {})):
        assert (await app.call(None, operation, values)).status == 401
    assert (await app.call("driver", "create_order", {})).status == 403


@for_every("status", OrderStatus)
async def test_customers_can_cancel_only_before_pickup(app: App, status: OrderStatus) -> None:
    order_id = await make_order(app, "customer")
    await set_order(app, order_id, status=status.value)
    by_customer = await app.call("customer", "cancel_order", {"order_id": order_id})
    early = status in (OrderStatus.NEW_ORDER, OrderStatus.HOLD, OrderStatus.PLANNED)
    assert status_and_code(by_customer) == ((200, None) if early else (409, "ORDER_STEP_REFUSED"))


async def test_a_delivered_order_cannot_be_cancelled(app: App) -> None:
    order_id = await make_order(app)
    await set_order(app, order_id, status=OrderStatus.DELIVERED.value)
    assert status_and_code(await app.call("admin", "cancel_order", {"order_id": order_id})) == (
        409,
        "ORDER_STEP_REFUSED",
    )
    assert (await order_row(app, order_id)).status == OrderStatus.DELIVERED


async def test_each_reference_gets_its_own_outcome(app: App) -> None:
    await make_order(app, order_ref="GOOD")
    over = await make_order(app, order_ref="OVER")
    await app.answer("admin", "cancel_order", {"order_id": over})
    window = {"window_start": "2026-06-11T10:00:00Z", "window_end": "2026-06-11T12:00:00Z"}
    asked = {"order_refs": ["GOOD", "OVER", "NONE", "GOOD"], **window}
    moved = await app.answer("admin", "update_time_window_by_refs", asked)
    assert [(each.order_ref, each.changed) for each in moved.outcomes] == [
        ("GOOD", True),
        ("OVER", False),
        ("NONE", False),
    ]
    assert "cancelled" in moved.outcomes[1].message
    elsewhere = await app.answer("rival", "update_time_window_by_refs", asked)
    assert (elsewhere.result, elsewhere.changed) == (False, 0)


async def test_a_snapshot_names_the_holder_and_the_last_event(app: App) -> None:
    order_id = await make_order(app, packages=[{}, {}])
    await set_order(app, order_id, contractor_id=app.ids["contractor"])
    await app.answer("admin", "hold_order", {"order_id": order_id, "reason": "storm"})
    shot = await app.answer("admin", "order_snapshot", {"order_id": order_id})
    assert (shot.holder, shot.steps, shot.packages) == ("Contractor", 2, 2)
    assert (shot.last_step.step, shot.last_step.reason) == ("hold", "storm")
