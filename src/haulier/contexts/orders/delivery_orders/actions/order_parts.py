"""Writes of delivery orders: items that move to an order of their own, and back."""

from collections.abc import Mapping, Sequence
from typing import Any

from haulier.contexts.orders.delivery_orders.actions.corrections import replace_packages
from haulier.contexts.orders.delivery_orders.actions.create import AgreedTerms, create_orders, order_row_values
from haulier.contexts.orders.delivery_orders.actions.order_items import fill_corrected_items, replace_order_items
from haulier.contexts.orders.delivery_orders.actions.order_sums import change_orders
from haulier.contexts.orders.delivery_orders.actions.transitions import cancel_orders
from haulier.contexts.orders.delivery_orders.contract.items import OrderItem
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder
from haulier.contexts.orders.delivery_orders.queries.order_facts import find_orders_by_reference
from haulier.contexts.orders.delivery_orders.queries.visible_orders import (
    find_picked_up_order_ids,
    order_as_request,
)
from haulier.contexts.orders.delivery_orders.rules.items import goods_value, has_weight_of_items
from haulier.contexts.orders.delivery_orders.rules.lifecycle import NOT_PICKED_UP_STATUSES
from haulier.contexts.orders.delivery_orders.rules.order_parts import (
    divide_amount,
    divide_lines,
    divide_price,
    find_share,
    join_amounts,
    join_lines,
    join_prices,
)
from haulier.contexts.orders.delivery_orders.store import orders as orders_store
from haulier.contexts.orders.delivery_orders.store.items import ItemRow, list_order_item_rows
from haulier.contexts.orders.delivery_orders.store.orders import OrderRow
from haulier.contexts.orders.events import OrderChanged
from haulier.contexts.tracking.public import set_replaced_by
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import CONFLICT

PART_OF = "part_of"
"""Name of the reference of a part to the number of its order."""
REFERENCE_MAX, REFERENCES_MAX, PARTS_MAX = 100, 20, 100


async def has_left(call: Call, row: OrderRow) -> bool:
    """Return True if goods of an order were picked up, or the order is over."""
    return row.status not in NOT_PICKED_UP_STATUSES or bool(await find_picked_up_order_ids(call, [row]))


async def split_off_items(call: Call, row: OrderRow, taken: Mapping[int, int]) -> int:
    """Move units of a locked order's items to a new order, and return its id.

    The price, cash on delivery and an explicit goods value are divided by the goods value of the items, or by their
    units. Raises as creating an order does.
    """
    packages = await orders_store.list_order_package_rows(call.work, [row.id])
    whole = order_as_request(row, packages, await _items(call, row.id))
    lines = [vars(item) for item in whole.items]
    left, out = divide_lines(lines, taken)
    share = find_share(lines, out)
    price_left, price_out = divide_price(row.price or {}, share)
    cod_left, cod_out = divide_amount(row.cod_minor or 0, share)
    known = goods_value(lines) is not None or row.goods_value_minor is None
    value_left, value_out = (None, None) if known else divide_amount(row.goods_value_minor or 0, share)
    part = _with_items(
        whole,
        out,
        packages=[{}],
        order_ref=await _free_reference(call, row),
        references=_references(whole, row.tracking_number),
        cod_minor=cod_out or None,
        goods_value_minor=value_out,
        fulfilment="self_delivery" if whole.pickup_depot_id is None else whole.fulfilment,
        scheduled_date=None,
        window_start=None,
        window_end=None,
    )
    (outcome,) = await create_orders(call, [part], agreed={0: AgreedTerms(price_out, None)})
    if outcome.row is None:
        raise outcome.error or CONFLICT()
    await _update_items(call, row, whole, left, price_left, cod_left or None, value_left)
    return outcome.row.id


async def put_back_items(call: Call, row: OrderRow, part: OrderRow, note: str | None) -> None:
    """Move the items of a part back to its order, and cancel the part.

    Both are locked and have not left.
    """
    packages = await orders_store.list_order_package_rows(call.work, [row.id])
    whole = order_as_request(row, packages, await _items(call, row.id))
    back = [_line(item) for item in await _items(call, part.id)]
    lines = join_lines([vars(item) for item in whole.items], back)
    value = None if goods_value(lines) is not None else join_amounts(row.goods_value_minor, part.goods_value_minor)
    price = join_prices(row.price or {}, part.price or {})
    await _update_items(call, row, whole, lines, price, join_amounts(row.cod_minor, part.cod_minor), value)
    await orders_store.update_orders(call.work, [part.id], replaced_by_order_id=row.id, updated_at=call.now)
    for error in (await cancel_orders(call, [part.id], note)).values():
        raise error
    await set_replaced_by(call, {part.tracking_number: row.tracking_number})


async def _items(call: Call, order_id: int) -> Sequence[ItemRow]:
    return (await list_order_item_rows(call.work, [order_id])).get(order_id, [])


def _line(item: ItemRow) -> dict[str, Any]:
    return {name: getattr(item, name) for name in OrderItem.model_fields}


def _references(whole: CreateOrder, number: str) -> dict[str, str]:
    named = {PART_OF: number, **whole.references}
    return named if len(named) <= REFERENCES_MAX else whole.references


async def _free_reference(call: Call, row: OrderRow) -> str | None:
    """Return a free reference of a part, such as `SHOP-1-2`, or None."""
    for number in range(2, PARTS_MAX):
        wanted = f"{row.order_ref}-{number}"
        if row.order_ref is None or len(wanted) > REFERENCE_MAX:
            return None
        if not await find_orders_by_reference(call, wanted):
            return wanted
    return None


def _with_items(whole: CreateOrder, lines: Sequence[Mapping[str, Any]], **changes: Any) -> CreateOrder:
    values = {**whole.model_dump(), "goods_value_minor": None, "items": [dict(line) for line in lines], **changes}
    if values["goods_value_minor"] is None:
        values["goods_currency"] = None
    return CreateOrder.model_validate(values)


async def _update_items(
    call: Call,
    row: OrderRow,
    whole: CreateOrder,
    lines: Sequence[Mapping[str, Any]],
    price: Mapping[str, Any],
    cod_minor: int | None,
    value_minor: int | None,
) -> None:
    """Write the items of an order with its price, and the weight of its only package."""
    packages = [package.model_dump() for package in whole.packages]
    if has_weight_of_items(whole):
        packages[0].pop("weight_g")
    changes = {"packages": packages, "cod_minor": cod_minor, "goods_value_minor": value_minor}
    order = await fill_corrected_items(call, _with_items(whole, lines, **changes))
    before = await orders_store.list_order_package_rows(call.work, [row.id])
    await change_orders(call, [row.id], **order_row_values(order), price=dict(price) or None, updated_at=call.now)
    if order.packages != whole.packages:
        await replace_packages(call, row, before, order)
    await replace_order_items(call, row.id, order)
    call.add_audit_subjects("order", row.id)
    await call.publish(OrderChanged(order_id=row.id))
