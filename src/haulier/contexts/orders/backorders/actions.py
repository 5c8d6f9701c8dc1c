"""Writes of backorders, within the caller's transaction.

Lock order: routes, orders, backorders, then stock.
"""

from collections.abc import Sequence
from typing import Any

from haulier.contexts.identity.public import require_office_user
from haulier.contexts.orders.backorders import store
from haulier.contexts.orders.backorders.contract import CreateBackorder, MergeBackorder, UpdateBackorder
from haulier.contexts.orders.backorders.rules import (
    BACKORDER_STEP_REFUSED,
    NOTHING_TO_BACKORDER,
    ORDER_NOT_DIVISIBLE,
    BackorderState,
    OrderLine,
    choose_short,
    choose_wanted,
    is_whole,
)
from haulier.contexts.orders.backorders.store import BackorderRow
from haulier.contexts.orders.delivery_orders.actions.order_items import require_unpicked
from haulier.contexts.orders.delivery_orders.actions.order_parts import has_left, put_back_items, split_off_items
from haulier.contexts.orders.delivery_orders.actions.transitions import apply_order_transition
from haulier.contexts.orders.delivery_orders.queries.order_goods import OrderGoods, load_order_goods
from haulier.contexts.orders.delivery_orders.queries.order_labels import has_bought_label
from haulier.contexts.orders.delivery_orders.queries.visible_orders import get_visible_order
from haulier.contexts.orders.delivery_orders.rules.lifecycle import ORDER_STEP_REFUSED, OrderStatus, OrderStep
from haulier.contexts.orders.events import BackorderChanged, BackorderCreated
from haulier.contexts.orders.ports import BackorderStock, OrderRoutes
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


async def create_backorder(call: Call, request: CreateBackorder) -> BackorderRow:
    """Move items of an order that wait to an order of their own, which is put on hold.

    If all items wait, the order itself is put on hold. Raises `NOT_FOUND`, `ORDER_STEP_REFUSED`,
    `ORDER_NOT_DIVISIBLE`, `NOTHING_TO_BACKORDER` and `INVALID_REQUEST`.
    """
    if request.owner_id is not None:
        await require_office_user(call, owner_id=request.owner_id)
    await call.adapter(OrderRoutes).lock(call, [request.order_id])
    row = await get_visible_order(call, request.order_id, lock=True)
    if await has_left(call, row):
        raise ORDER_STEP_REFUSED(step="backorder", status=OrderStatus(row.status).name)
    await _require_divisible(call, row)
    goods = await load_order_goods(call, row.id)
    lines = [
        OrderLine(number=number, product_id=line.product_id, quantity=line.quantity)
        for number, line in enumerate(goods.lines, 1)
    ]
    taken = await _choose_units(call, goods, lines, request)
    whole = is_whole(lines, taken)
    part_id = row.id if whole else await split_off_items(call, row, taken)
    for error in (await apply_order_transition(call, OrderStep.HOLD, [part_id], note=request.note)).values():
        raise error
    if not whole and (stock := call.app.find_adapter(BackorderStock)):
        await stock.move(call, row.id, part_id)
    known = all(lines[number - 1].product_id is not None for number in taken)
    return await _insert(call, row, part_id, request, auto_release=request.auto_release and known)


async def _choose_units(
    call: Call, goods: OrderGoods, lines: Sequence[OrderLine], request: CreateBackorder
) -> dict[int, int]:
    if request.items:
        return choose_wanted(lines, [(each.number, each.quantity) for each in request.items])
    stock = call.app.find_adapter(BackorderStock)
    if stock is None:
        raise NOTHING_TO_BACKORDER()
    return choose_short(lines, await stock.find_short(call, goods.id))


async def _require_divisible(call: Call, row: Any) -> None:
    """Raise `ORDER_NOT_DIVISIBLE` for an order of a partner or with a label."""
    if row.third_party_held or row.partner_offer_id is not None or await has_bought_label(call, row.id):
        raise ORDER_NOT_DIVISIBLE(order_id=row.id)


async def _insert(call: Call, row: Any, part_id: int, request: CreateBackorder, *, auto_release: bool) -> BackorderRow:
    earlier = await store.list_backorders_by_part(call.work, [row.id])
    first = next((each.order_id for each in earlier), row.id)
    id = await BackorderRow.insert(
        call.work,
        order_id=first,
        backorder_order_id=part_id,
        customer_id=row.customer_id,
        state=BackorderState.WAITING.value,
        auto_release=auto_release,
        owner_id=request.owner_id or call.actor,
        expected_on=request.expected_on,
        note=request.note,
        created_at=call.now,
        updated_at=call.now,
    )
    call.add_audit_subjects("backorder", id)
    call.add_audit_subjects("order", *sorted({row.id, part_id}))
    await call.publish(BackorderCreated(backorder_id=id, order_id=first, backorder_order_id=part_id))
    return await get_backorder_row(call, id)


async def get_backorder_row(call: Call, backorder_id: int, *, lock: bool = False) -> BackorderRow:
    """Return a backorder. Raises `NOT_FOUND`."""
    found = await (BackorderRow.lock if lock else BackorderRow.get)(call.work, backorder_id)
    if found is None:
        raise record_not_found(backorder_id=backorder_id)
    return found


async def update_backorder(call: Call, request: UpdateBackorder) -> BackorderRow:
    """Change a waiting backorder.

    Raises `NOT_FOUND`, `BACKORDER_STEP_REFUSED`.
    """
    row = await get_backorder_row(call, request.backorder_id, lock=True)
    if row.state != BackorderState.WAITING:
        raise BACKORDER_STEP_REFUSED(step="update", status=row.state)
    if request.owner_id is not None:
        await require_office_user(call, owner_id=request.owner_id)
    values = request.model_dump(include=request.model_fields_set - {"backorder_id"})
    if values.get("auto_release", False) is None:
        del values["auto_release"]
    elif values.get("auto_release"):
        goods = await load_order_goods(call, row.backorder_order_id)
        values["auto_release"] = all(line.product_id is not None for line in goods.lines)
    await BackorderRow.update(call.work, row.id, {**values, "updated_at": call.now})
    call.add_audit_subjects("backorder", row.id)
    await call.publish(BackorderChanged(backorder_id=row.id, order_id=row.order_id, state=row.state))
    return await get_backorder_row(call, row.id)


async def merge_backorder(call: Call, request: MergeBackorder) -> BackorderRow:
    """Move the items of a backorder back to its order, as long as neither has left.

    A merged one is unchanged. Raises `NOT_FOUND`, `BACKORDER_STEP_REFUSED`, `ORDER_STEP_REFUSED` and
    `ORDER_NOT_DIVISIBLE`.
    """
    seen = await get_backorder_row(call, request.backorder_id)
    ids = sorted({seen.order_id, seen.backorder_order_id})
    await call.adapter(OrderRoutes).lock(call, ids)
    rows = {id: await get_visible_order(call, id, lock=True) for id in ids}
    row = await get_backorder_row(call, request.backorder_id, lock=True)
    if row.state == BackorderState.MERGED:
        return row
    if row.state == BackorderState.CANCELLED or len(ids) == 1:
        raise BACKORDER_STEP_REFUSED(step="merge", status=row.state)
    for each in rows.values():
        if await has_left(call, each):
            raise ORDER_STEP_REFUSED(step="merge", status=OrderStatus(each.status).name)
        await _require_divisible(call, each)
    whole, part = rows[row.order_id], rows[row.backorder_order_id]
    await require_unpicked(call, part)
    await _set_state(call, row, BackorderState.MERGED)
    await put_back_items(call, whole, part, request.reason)
    if stock := call.app.find_adapter(BackorderStock):
        await stock.move(call, part.id, whole.id)
    return await get_backorder_row(call, row.id)


async def _set_state(call: Call, row: BackorderRow, state: BackorderState) -> None:
    await BackorderRow.update(call.work, row.id, {"state": state.value, "updated_at": call.now})
    call.add_audit_subjects("backorder", row.id)
    await call.publish(BackorderChanged(backorder_id=row.id, order_id=row.order_id, state=state.value))


async def release_backorder(call: Call, order_id: int) -> None:
    """Release the order of a backorder whose stock is reserved. Its backorder follows."""
    for error in (await apply_order_transition(call, OrderStep.RELEASE, [order_id])).values():
        raise error


async def end_backorders(call: Call, order_ids: Sequence[int], state: BackorderState) -> None:
    """End the waiting backorders of released or cancelled orders, and announce it."""
    rows = await store.list_backorders_by_part(call.work, order_ids)
    waiting = [row for row in rows if row.state == BackorderState.WAITING]
    await store.end_waiting(call.work, [row.backorder_order_id for row in waiting], state, call.now)
    for row in waiting:
        await call.publish(BackorderChanged(backorder_id=row.id, order_id=row.order_id, state=state.value))
