"""The facts about orders that planners need, and who holds them."""

from collections.abc import Collection, Mapping
from datetime import date, datetime
from typing import Any

from msgspec import Struct

from haulier.contexts.custom_fields.public import ResourceKind, share_custom_fields
from haulier.contexts.orders.delivery_orders.contract.terms import OrderTerms
from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    DISPATCHABLE_STATUSES,
    TERMINAL_STATUSES,
    OrderStatus,
)
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.contexts.orders.delivery_orders.store.recipients import find_order_row_by_number
from haulier.contexts.orders.delivery_orders.store.references import find_order_ids
from haulier.contexts.tracking.public import list_number_owners
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


class OrderFacts(Struct, frozen=True, kw_only=True):
    """An order, as dispatch sees it. The stop is where a driver has to go: the shipper's door for P, else the consignee's."""

    id: int
    order_ref: str | None
    tracking_number: str
    type: str
    status: OrderStatus
    scheduled_date: date | None
    fulfilment: str
    third_party_held: bool
    contractor_id: int | None
    driver_id: int | None
    customer_id: int | None
    name: str | None
    address: str | None
    city: str | None
    postal_code: str | None
    lat: float | None
    lng: float | None
    pickup: tuple[float, float] | None = None
    """Latitude and longitude of the shipper, where the goods are collected there and its place is known."""
    window_start: datetime | None
    window_end: datetime | None
    service_time_s: int
    weight_g: int
    skills: tuple[str, ...]
    attempts: int = 0
    attempt_limit: int | None = None


def order_facts_from_row(row: store.OrderRow) -> OrderFacts:
    """The facts in a row of the order table."""
    return record(
        OrderFacts,
        row,
        status=OrderStatus(row.status),
        name=row.stop_name,
        address=row.stop_address,
        city=row.stop_city,
        postal_code=row.stop_postal_code,
        pickup=_pickup_location(row),
        skills=tuple(row.skills),
    )


def _pickup_location(row: store.OrderRow) -> tuple[float, float] | None:
    shipper = (row.shipper or {}) if row.type != "D" else {}
    lat, lng = shipper.get("lat"), shipper.get("lng")
    return None if lat is None or lng is None else (lat, lng)


async def find_orders_by_reference(call: Call, reference: str) -> list[OrderFacts]:
    """The client's orders with a reference, or with the tracking number of the order or of one of its packages."""
    return [order_facts_from_row(row) for row in await store.find_order_rows_by_reference(call.work, reference)]


async def find_order_ids_by_reference(call: Call, references: Collection[str]) -> dict[str, int]:
    """Return order ids by `order_ref`. References shared by orders of several customers are left out."""
    return await find_order_ids(call.work, references)


async def has_orders(call: Call) -> bool:
    """Whether the client has any order."""
    return await store.has_order_rows(call.work)


async def get_order_facts(call: Call, order_ids: Collection[int], *, lock: bool = False) -> dict[int, OrderFacts]:
    """The client's orders among some ids, in one statement; locked until the end of the transaction when asked."""
    return {row.id: order_facts_from_row(row) for row in await store.list_order_rows(call.work, order_ids, lock=lock)}


async def list_plannable_orders(call: Call, *, limit: int = 5000) -> list[OrderFacts]:
    """Orders that could be planned: self-delivery, dispatchable, held by no third party. Oldest first."""
    rows = await store.list_plannable_order_rows(call.work, [status.value for status in DISPATCHABLE_STATUSES], limit)
    return [order_facts_from_row(row) for row in rows]


async def get_last_steps(call: Call, order_ids: Collection[int]) -> dict[int, str]:
    """Return the last step in the history of each order."""
    return {id: row.step for id, row in (await store.get_last_changes(call.work, order_ids)).items()}


class TrackedOrder(Struct, frozen=True, kw_only=True):
    """An order of any client, found by its number, and its recipient."""

    id: int
    client_id: int
    over: bool
    consignee: Mapping[str, Any] | None


async def find_order_of_any_client(call: Call, tracking_number: str) -> TrackedOrder | None:
    """The order with a tracking number, of itself or of a piece, whoever's it is: for what a recipient may ask."""
    number = tracking_number.strip().upper()
    owner = (await list_number_owners(call.work, [number])).get(number)
    if owner is None:
        return None
    row = await find_order_row_by_number(call.work.for_tenant(owner, "a recipient knows the number alone"), number)
    return row and record(TrackedOrder, row, over=row.status in TERMINAL_STATUSES)


class StopContacts(Struct, frozen=True, kw_only=True):
    """Sender, recipient and terms: what the carrier of an order has to know."""

    shipper: Mapping[str, Any] | None
    consignee: Mapping[str, Any] | None
    delivery_instruction: str | None
    package_count: int
    terms: OrderTerms
    signature_required: bool


class OrderPiece(Struct, frozen=True, kw_only=True):
    """One piece of an order. Its tracking number is the barcode on its label."""

    id: int
    order_id: int
    tracking_number: str
    weight_g: int
    length_mm: int | None
    width_mm: int | None
    height_mm: int | None
    description: str | None
    outcome: str | None


async def list_order_pieces(call: Call, order_ids: Collection[int]) -> list[OrderPiece]:
    """The pieces of the client's orders among some ids, in one statement, in the order of their labels."""
    rows = await store.list_order_package_rows(call.work, order_ids) if order_ids else []
    return [record(OrderPiece, row) for row in rows]


def order_terms_from_row(row: store.OrderRow) -> OrderTerms:
    """The terms in a row of the order table, which is trusted: nothing is validated again."""
    return OrderTerms.model_construct(**{name: getattr(row, name) for name in OrderTerms.model_fields})


async def get_stop_contacts(call: Call, order_ids: Collection[int]) -> dict[int, StopContacts]:
    """Sender, recipient and instruction of the client's orders among some ids."""
    return {
        row.id: record(
            StopContacts,
            row,
            terms=order_terms_from_row(row),
            signature_required=bool((row.price or {}).get("signature_required")),
        )
        for row in await store.list_order_rows(call.work, order_ids)
    }


class OrderStepTaken(Struct, frozen=True, kw_only=True):
    """A step that an order took. Ids grow with the steps of an order."""

    id: int
    step: str
    status: OrderStatus
    at: datetime
    reason: str | None


async def list_order_steps(call: Call, order_id: int) -> list[OrderStepTaken]:
    """The steps that an order of the client took, oldest first."""
    rows = await store.list_order_change_rows(call.work, order_id)
    return [record(OrderStepTaken, row, status=OrderStatus(row.status)) for row in rows]


async def get_shared_custom_fields(call: Call, order_id: int) -> dict[str, Any]:
    """The values of an order that a partner sees who takes it; the call is of the business that gives it."""
    rows = await store.list_order_rows(call.work, [order_id])
    shared = await share_custom_fields(call, ResourceKind.ORDER, [row.custom_fields for row in rows])
    return shared[0] if shared else {}
