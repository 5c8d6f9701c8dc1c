"""Writes of test mode."""

from haulier.contexts.control_tower.test_mode.contract import AdvancedTestRecord, TestStatus
from haulier.contexts.control_tower.test_mode.rules import (
    TEST_MODE_ONLY,
    TEST_ORDER_ON_ROUTE,
    TEST_STEP_REFUSED,
    order_steps,
    parcel_codes,
)
from haulier.contexts.documents.public import delete_all_files
from haulier.contexts.identity.public import delete_test_users, end_sample_data
from haulier.contexts.orders.public import OrderStatus, apply_order_transition, get_visible_order
from haulier.contexts.payments.public import conclude_simulated_payment
from haulier.contexts.routes.public import get_route_ids_by_order
from haulier.contexts.tracking.events import OrderJourneysChanged
from haulier.contexts.tracking.public import NewEvent, Source, find_timelines, list_subject_owners, record_events
from haulier.kernel.call import Call
from haulier.kernel.data.client_rows import delete_client_rows
from haulier.kernel.operations.errors import record_not_found

SOURCE = Source(type="carrier", name="test")
"""Reporter of simulated progress."""


def require_test_business(call: Call) -> None:
    """Require a call for a test business. Raises `TEST_MODE_ONLY`."""
    if not call.business.test:
        raise TEST_MODE_ONLY()


async def advance_order(call: Call, order_id: int, to: TestStatus | None) -> AdvancedTestRecord:
    """Move an order that is on no route.

    Raises `NOT_FOUND`, `TEST_STEP_REFUSED` or `TEST_ORDER_ON_ROUTE`.
    """
    row = await get_visible_order(call, order_id, lock=True)
    before = OrderStatus(row.status)
    steps = order_steps(before, to)
    if route_id := (await get_route_ids_by_order(call, [order_id])).get(order_id):
        raise TEST_ORDER_ON_ROUTE(order_id=order_id, route_id=route_id)
    for step in steps:
        errors = await apply_order_transition(call, step, [order_id], source=SOURCE)
        if error := errors.get(order_id):
            raise error
    after = OrderStatus((await get_visible_order(call, order_id)).status)
    return AdvancedTestRecord(previous_status=before.name.lower(), status=after.name.lower())


async def advance_parcel(call: Call, number: str, to: TestStatus | None) -> AdvancedTestRecord:
    """Record the next events of a parcel, as its carrier would report them.

    Raises `NOT_FOUND` or `TEST_STEP_REFUSED`.
    """
    timeline = (await find_timelines(call.work, [number])).get(number)
    if timeline is None:
        raise record_not_found(tracking_number=number)
    before = timeline.current_status or None
    codes = parcel_codes(before, to, terminal=timeline.terminal)
    own_number = timeline.subject.tracking_number or number
    order_id = next((row.order_id for row in await list_subject_owners(call.work, own_number)), None)
    events = [
        NewEvent(tracking_number=own_number, status_code=code, occurred_at=call.now, source=SOURCE, order_id=order_id)
        for code in codes
    ]
    await record_events(call, events)
    if order_id is not None:
        await call.publish(OrderJourneysChanged(order_ids=(order_id,)))
    return AdvancedTestRecord(previous_status=before or "", status=codes[-1])


async def advance_payment(call: Call, payment_id: int, to: TestStatus | None) -> AdvancedTestRecord:
    """Let the payer of a payment pay, or their bank decline it.

    Raises `NOT_FOUND`, `TEST_STEP_REFUSED` or `PAYMENT_STEP_REFUSED`.
    """
    if to not in {None, TestStatus.PAID, TestStatus.DECLINED}:
        raise TEST_STEP_REFUSED(status="payment", to=to)
    before, after = await conclude_simulated_payment(call, payment_id, paid=to is not TestStatus.DECLINED)
    return AdvancedTestRecord(previous_status=before, status=after)


KEPT_TABLES = frozenset({"user_account", "member", "access_token"})


async def delete_test_data(call: Call) -> int:
    """Delete the records of the test business. Return the number of rows.

    Keeps the users who act for live users, and their tokens.
    """
    await end_sample_data(call)
    await delete_all_files(call)
    present = await call.app.database.table_names()
    deleted = await delete_client_rows(call.work, present, but=KEPT_TABLES)
    return deleted + await delete_test_users(call)
