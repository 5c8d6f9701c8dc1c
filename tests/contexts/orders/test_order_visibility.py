"""Fields hidden from customers, search, and goods that were picked up."""

from typing import Any

import pytest
from tests.support.app import App
from tests.support.every_case import for_every
from tests.support.transport import make_contact, make_order, status_and_code

from haulier.contexts.orders.public import OrderStep, apply_order_transition
from haulier.kernel.job_run import JobRun


async def step(app: App, order_id: int, *steps: OrderStep) -> None:
    """Take steps as dispatch does, each a minute after the other."""
    for each in steps:
        app.clock.forward(minutes=1)
        async with JobRun(app.application, app.clients["demo"], 1, 1).call() as call:
            assert await apply_order_transition(call, each, [order_id]) == {}


async def shown(app: App, who: str, order_id: int) -> Any:
    return (await app.answer(who, "get_order_detail", {"order_id": order_id})).order


async def test_customers_cannot_see_office_notes_and_reasons(app: App) -> None:
    order_id = await make_order(app, "customer")
    await app.answer("admin", "update_order_note", {"order_id": order_id, "note": "pays late"})
    await app.answer("admin", "hold_order", {"order_id": order_id, "reason": "unpaid bills"})
    office, customer = await shown(app, "employee", order_id), await shown(app, "customer", order_id)
    shot = await app.answer("customer", "order_snapshot", {"order_id": order_id})
    assert (office.note, office.steps[-1].reason) == ("pays late", "unpaid bills")
    assert (customer.note, customer.steps[-1].reason, shot.last_step.reason) == (None, None, None)


async def test_customers_can_see_their_own_reason(app: App) -> None:
    order_id = await make_order(app, "customer")
    await app.answer("customer", "cancel_order", {"order_id": order_id, "reason": "too late for me"})
    assert (await shown(app, "customer", order_id)).steps[-1].reason == "too late for me"


async def test_allowed_actions_depend_on_the_caller(app: App) -> None:
    order_id = await make_order(app, "customer")
    assert (await shown(app, "admin", order_id)).allowed_actions == [
        "hold",
        "plan",
        "cancel",
        "reroute",
        "correct",
        "reschedule",
        "switch_to_pickup",
    ]
    assert (await shown(app, "customer", order_id)).allowed_actions == ["cancel"]


@for_every("again", [(OrderStep.PLAN,), (OrderStep.HOLD, OrderStep.RELEASE), (OrderStep.HOLD,)])
async def test_goods_that_have_left_cannot_be_rerouted_or_cancelled_by_the_customer(
    app: App, again: tuple[OrderStep, ...]
) -> None:
    order_id = await make_order(app, "customer")
    await step(app, order_id, OrderStep.PLAN, OrderStep.START, OrderStep.FAIL, *again)
    there = {"order_id": order_id, "address": make_contact(name="Bo")}
    assert status_and_code(await app.call("admin", "reroute_to_address", there)) == (409, "ORDER_STEP_REFUSED")
    assert status_and_code(await app.call("customer", "cancel_order", {"order_id": order_id})) == (
        409,
        "ORDER_STEP_REFUSED",
    )
    assert not {"cancel", "reroute"} & set((await shown(app, "customer", order_id)).allowed_actions)
    assert (await app.answer("admin", "cancel_order", {"order_id": order_id})).order.status == "CANCELLED"


async def test_a_failed_pickup_can_be_rerouted(app: App) -> None:
    order_id = await make_order(app, type="P", shipper=make_contact())
    await step(app, order_id, OrderStep.PLAN, OrderStep.START, OrderStep.FAIL, OrderStep.PLAN)
    moved = await app.answer("admin", "reroute_to_address", {"order_id": order_id, "address": make_contact(name="Bo")})
    assert moved.order.name == "Bo"


async def test_the_status_is_the_latest_change(app: App) -> None:
    order_id = await make_order(app)
    for each in (OrderStep.PLAN, OrderStep.START, OrderStep.FAIL, OrderStep.PLAN, OrderStep.START, OrderStep.DELIVER):
        await step(app, order_id, each)
        order = await shown(app, "admin", order_id)
        assert (order.status, order.steps[-1].step) == (order.steps[-1].status, each.value)


@pytest.mark.parametrize(
    "query", ["ÉCOLE", "école", "+1 416 555-0100", "(416) 555-0100", "4165550100", "5550100", "ABC-2026-77"]
)
async def test_search_ignores_case_and_phone_number_formatting(app: App, query: str) -> None:
    who = make_contact(name="École Ünal", phone="+1 (416) 555-0100")
    order_id = await make_order(app, consignee=who, references={"po": "ABC-2026-77", "erp": "2026-06-1234"})
    await make_order(app)
    assert [order.id for order in (await app.answer("admin", "find_order", {"search": query})).orders] == [order_id]
    assert [order.id for order in (await app.answer("admin", "get_orders", {"search": query})).orders] == [order_id]


async def test_a_number_with_dashes_can_be_a_reference(app: App) -> None:
    order_id = await make_order(app, references={"erp": "2026-06-1234"})
    found = (await app.answer("admin", "get_orders", {"search": "2026-06-1234"})).orders
    assert [order.id for order in found] == [order_id]


async def test_an_unstorable_reference_is_a_validation_error(app: App) -> None:
    outcome = await app.call("admin", "create_order", {"consignee": make_contact(), "references": {"a\0": "x"}})
    assert outcome.status == 422
