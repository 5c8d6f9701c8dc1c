"""Writes of delivery orders for other families: partner copies."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from haulier.contexts.custom_fields.public import ResourceKind, share_custom_fields
from haulier.contexts.orders.delivery_orders.actions.create import (
    ORDER_REF_TAKEN,
    AgreedTerms,
    create_orders,
    order_stop_columns,
)
from haulier.contexts.orders.delivery_orders.actions.order_sums import change_orders
from haulier.contexts.orders.delivery_orders.actions.transitions import cancel_orders
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder
from haulier.contexts.orders.delivery_orders.queries.visible_orders import order_as_request
from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    NOT_PICKED_UP_STATUSES,
    TERMINAL_STATUSES,
    OrderStatus,
)
from haulier.contexts.orders.delivery_orders.store import orders as orders_store
from haulier.contexts.orders.events import OrderChanged
from haulier.contexts.orders.ports import OrderRoutes
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import CONFLICT


class BoughtDelivery(Struct, frozen=True):
    """A delivery that was created."""

    order_id: int
    tracking_number: str


async def create_bought_delivery(call: Call, request: CreateOrder) -> BoughtDelivery:
    """Create a delivery without a price of its own. Raises as creating an order does."""
    bought = {"service": request.service, "signature_required": request.signature_required}
    (outcome,) = await create_orders(call, [request], agreed={0: AgreedTerms(bought, None)})
    if outcome.row is None:
        raise outcome.error or CONFLICT()
    return BoughtDelivery(outcome.row.id, outcome.row.tracking_number)


async def cancel_bought_delivery(call: Call, order_id: int, reason: str | None) -> bool:
    """Cancel a delivery that has not begun.

    Returns False if goods were picked up. A cancelled delivery is unchanged.
    """
    await call.adapter(OrderRoutes).lock(call, [order_id])
    for row in await orders_store.list_order_rows(call.work, [order_id], lock=True):
        if row.status in NOT_PICKED_UP_STATUSES:
            await cancel_orders(call, [order_id], reason)
        elif row.status != OrderStatus.CANCELLED:
            return False
    return True


PARTNER_FEE = "partner_fee"
KEPT_ALIKE = ("scheduled_date", "window_start", "window_end", "delivery_instruction", "consignee", "shipper")
"""Fields of a copy that follow its original: time, place, and text for the driver."""


class AgreedPrice(Struct, frozen=True):
    """Price that one business pays another for an order, in minor units.

    None if no price was agreed.
    """

    amount_minor: int | None
    currency: str


async def get_order_for_partner(call: Call, order_id: int) -> CreateOrder | None:
    """Return an order as the delivering business needs it, or None.

    Without its customer, price, items, note, references, email addresses, and custom fields that are not shared with partners.
    """
    rows = await orders_store.list_order_rows(call.work, [order_id])
    if not rows:
        return None
    pieces = await orders_store.list_order_package_rows(call.work, [order_id])
    request = order_as_request(rows[0], pieces)
    (shared,) = await share_custom_fields(call, ResourceKind.ORDER, [rows[0].custom_fields])
    of_pieces = await share_custom_fields(call, ResourceKind.PACKAGE, [piece.custom_fields for piece in pieces])
    own: dict[str, Any] = {
        "customer_id": None,
        "order_ref": None,
        "note": None,
        "references": {},
        "fulfilment": "self_delivery",
        "goods_value_minor": None,
        "goods_currency": None,
        "show_items_to_recipient": False,
        "custom_fields": shared,
        "packages": [
            package.model_copy(update={"custom_fields": values})
            for package, values in zip(request.packages, of_pieces, strict=True)
        ],
    }
    # The recipient has the PIN of the original, which another business cannot verify.
    own["pin_required"] = False
    ends = {
        name: end.model_copy(update={"email": None})
        for name in ("shipper", "consignee")
        if (end := getattr(request, name))
    }
    return request.model_copy(update={**own, **ends})


async def create_partner_copy(
    call: Call,
    request: CreateOrder,
    *,
    offer_id: int,
    order_ref: str | None,
    references: Mapping[str, str],
    price: AgreedPrice,
) -> int:
    """Make an order of the call's client of another business's; returns its id.

    It is new, priced by the agreement and by no rate card. Raises `ORDER_REF_TAKEN` when the reference is another order's.
    """
    copy = request.model_copy(update={"order_ref": order_ref, "references": dict(references)})
    terms = AgreedTerms(_price_document(copy, price), offer_id)
    (outcome,) = await create_orders(call, [copy], agreed={0: terms})
    if outcome.existing:
        raise ORDER_REF_TAKEN(order_ref=order_ref)
    if outcome.row is None:
        raise outcome.error or CONFLICT()
    return outcome.row.id


async def update_partner_copy(call: Call, order_id: int, original: CreateOrder) -> None:
    """Update the copy from its original: day, window, addresses and instruction.

    Running it again changes nothing.
    """
    rows = await orders_store.list_order_rows(call.work, [order_id], lock=True)
    if not rows or OrderStatus(rows[0].status) in TERMINAL_STATUSES:
        return
    document = original.model_dump(mode="json")
    wanted = {name: getattr(original, name) for name in KEPT_ALIKE} | {
        name: document[name] for name in ("consignee", "shipper")
    }
    if all(getattr(rows[0], name) == value for name, value in wanted.items()):
        return
    values = wanted | order_stop_columns(original.stop)
    await change_orders(call, [order_id], **values, updated_at=call.now)
    call.add_audit_subjects("order", order_id)
    await call.publish(OrderChanged(order_id=order_id))


async def cancel_partner_copy(call: Call, order_id: int, reason: str | None) -> None:
    """Cancel the copy and remove it from its route and contractor.

    Notifies a driver who is out with it. A finished copy is unchanged.
    """
    await cancel_orders(call, [order_id], reason)


def _price_document(request: CreateOrder, price: AgreedPrice) -> dict[str, Any]:
    bought = {"service": request.service, "signature_required": request.signature_required}
    if price.amount_minor is None:
        return bought
    line = {"code": PARTNER_FEE, "amount": price.amount_minor}
    return {**bought, "lines": [line], "tax": 0, "total": price.amount_minor, "currency": price.currency}
