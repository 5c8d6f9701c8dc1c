"""Reads of delivery orders for other families: visible orders."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from msgspec import Struct

from haulier.contexts.custom_fields.public import ResourceKind, read_custom_field_filters
from haulier.contexts.custom_fields.values.rules import stored_values
from haulier.contexts.identity.public import require_customer_ids
from haulier.contexts.orders.delivery_orders.contract.filters import OrderFilters
from haulier.contexts.orders.delivery_orders.contract.items import OrderItem
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder, Package
from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    OrderProblemKind,
    OrderState,
    OrderStatus,
    OrderStep,
    may_customer_cancel,
    possible_order_steps,
    was_picked_up,
)
from haulier.contexts.orders.delivery_orders.rules.ratings import LOW_RATINGS_SHOWN_FOR, RATING_MAX
from haulier.contexts.orders.delivery_orders.rules.warnings import differing_fields, request_digest, with_order_day
from haulier.contexts.orders.delivery_orders.store import lists as lists_store
from haulier.contexts.orders.delivery_orders.store import orders as orders_store
from haulier.contexts.orders.delivery_orders.store.attempts import AttemptFilter
from haulier.contexts.orders.delivery_orders.store.items import ItemRow, list_order_item_rows
from haulier.contexts.orders.delivery_orders.store.lists import (
    OrderDetailRow,
    count_order_problem_rows,
    get_order_row_with_related,
)
from haulier.contexts.orders.ports import OrderRoutes
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import OFFICE, Account
from haulier.kernel.operations.errors import record_not_found


async def list_open_contractor_orders(call: Call, contractor_id: int) -> list[int]:
    """Return the ids of open orders held by a contractor, oldest first."""
    return await lists_store.list_open_order_ids(call.work, contractor_id)


class CustomerOrders(Struct, frozen=True):
    """Open orders and newest order of a customer."""

    open_orders: int
    last_order_id: int | None
    last_order_at: datetime | None


async def list_orders_of_customers(call: Call, customer_ids: Collection[int]) -> dict[int, CustomerOrders]:
    """Return the open orders and the newest order of customers. Two statements."""
    under_way = await lists_store.count_open_orders(call.work, customer_ids)
    newest = await lists_store.list_newest_orders(call.work, customer_ids)
    found = ((id, newest.get(id)) for id in customer_ids)
    return {id: CustomerOrders(under_way.get(id, 0), last and last.id, last and last.created_at) for id, last in found}


async def count_contractor_orders(call: Call, contractor_id: int, days: Collection[date]) -> dict[date, int]:
    """Return a contractor's number of orders per day, including finished ones."""
    return await lists_store.count_orders_of_days(call.work, contractor_id, days)


COMPUTED_FIELDS = frozenset({"packages", "items", "service", "signature_required", "quote_id"})
"""Fields not stored under their own name: packages and items have tables, the others are part of the price."""
NAMED_ADDRESSES = frozenset({"recipient_address_id", "sender_address_id"})
"""Other words for the consignee and the shipper, in whose place they stand once the order is taken."""
COPIED_FIELDS = CreateOrder.model_fields.keys() - COMPUTED_FIELDS - NAMED_ADDRESSES - {"custom_fields"}


def order_as_request(
    row: orders_store.OrderRow, packages: Sequence[orders_store.PackageRow], items: Sequence[ItemRow] = ()
) -> CreateOrder:
    """Return the request that would recreate an order, with every field.

    `items` are its lines; without them, the request has none.
    """
    price = row.price or {}
    return CreateOrder.model_validate(
        {
            **{name: getattr(row, name) for name in COPIED_FIELDS},
            "packages": [
                {name: getattr(package, name) for name in Package.model_fields}
                | {"quantity": 1, "custom_fields": stored_values(package.custom_fields)}
                for package in packages
            ],
            "items": [{name: getattr(item, name) for name in OrderItem.model_fields} for item in items],
            "custom_fields": stored_values(row.custom_fields),
            "service": price.get("service", "standard"),
            "signature_required": price.get("signature_required", False),
        }
    )


OwnerRef = tuple[int | None, str]
"""Identity of an order: its customer (None if it has none) and reference."""


class Repeat(Struct, frozen=True):
    """The order with the reference of a request, and the fields that differ."""

    row: orders_store.OrderRow
    fields: list[str]


def owner_ref(call: Call, request: CreateOrder) -> OwnerRef | None:
    """Return the identity of a new order, or None without a reference."""
    customer_id = call.actor if call.principal.account is Account.CUSTOMER else request.customer_id
    return (customer_id, request.order_ref) if request.order_ref else None


async def find_repeats(call: Call, requests: Mapping[int, CreateOrder]) -> dict[int, Repeat]:
    """Return the requests, by index, whose reference an order has.

    At most four statements. The request that created an order is always a repeat. Any other request is a repeat if it
    asks for the order as it is now.
    """
    named = {index: ref for index, request in requests.items() if (ref := owner_ref(call, request))}
    existing = await orders_store.list_order_rows_by_owner_refs(call.work, named.values())
    rows = {(row.customer_id, row.order_ref): row for row in existing}
    found = {index: row for index, ref in named.items() if (row := rows.get(ref))}
    odd = {index: row for index, row in found.items() if not _made(requests[index], row)}
    ids = {row.id for row in odd.values()}
    packages = await orders_store.list_order_package_rows(call.work, ids) if odd else []
    items = await list_order_item_rows(call.work, ids)
    return {
        index: Repeat(
            row,
            differing_fields(
                with_order_day(requests[index], call.time_zone),
                order_as_request(row, [each for each in packages if each.order_id == row.id], items.get(row.id, ())),
            )
            if index in odd
            else [],
        )
        for index, row in found.items()
    }


def _made(request: CreateOrder, row: orders_store.OrderRow) -> bool:
    """Return True if this request is known to have created the order.

    Orders of earlier versions have no record of their request.
    """
    return row.request_digest is None or bytes(row.request_digest) == request_digest(request)


_OWNER_COLUMN = {Account.CUSTOMER: "customer_id", Account.CONTRACTOR: "contractor_id", Account.DRIVER: "driver_id"}


def visibility_filter(call: Call) -> dict[str, Any]:
    """Return the filter for orders that the caller can see.

    Staff see every order, others only their own.
    """
    account = call.principal.account
    return {} if account in OFFICE else {_OWNER_COLUMN[account]: call.actor}


async def customer_filter(call: Call, customer_id: int | None, customer: str | None) -> dict[str, Any]:
    """Return the filter for the orders of customers, by id or by name.

    Raises `NOT_FOUND` if no customer matches.
    """
    ids = await require_customer_ids(call, customer) if customer else None
    return {"customer_id": customer_id, "customer_ids": ids}


async def get_visible_order(call: Call, order_id: int, *, lock: bool = False) -> orders_store.OrderRow:
    """The row of an order that the caller may see. Raises `NOT_FOUND`."""
    rows = await orders_store.list_order_rows(call.work, [order_id], lock=lock)
    if not rows or not can_see_order(call, rows[0]):
        raise record_not_found(order_id=order_id)
    return rows[0]


async def list_orders_by_id(call: Call, order_ids: Collection[int]) -> Sequence[orders_store.OrderRow]:
    """Return the client's orders among some ids, visible to the caller or not."""
    return await orders_store.list_order_rows(call.work, order_ids) if order_ids else []


async def require_visible_orders(call: Call, order_ids: Collection[int]) -> None:
    """Raises `NOT_FOUND` for the first of these orders that the caller may not see."""
    seen = {row.id for row in await orders_store.list_order_rows(call.work, order_ids) if can_see_order(call, row)}
    for order_id in order_ids:
        if order_id not in seen:
            raise record_not_found(order_ids=order_id)


async def get_visible_order_detail(call: Call, order_id: int) -> OrderDetailRow:
    """Return an order that the caller may see, with `packages`, `steps` and `places`.

    Raises `NOT_FOUND`.
    """
    row = await get_order_row_with_related(call.work, order_id, call.adapter(OrderRoutes).places_column)
    if row is None or not can_see_order(call, row):
        raise record_not_found(order_id=order_id)
    return row


def can_see_order(call: Call, row: orders_store.OrderRow) -> bool:
    """Return True if the caller may see the order."""
    return all(getattr(row, name) == value for name, value in visibility_filter(call).items())


async def find_picked_up_order_ids(call: Call, rows: Collection[orders_store.OrderSummaryRow]) -> set[int]:
    """The ids of the orders whose goods were picked up at least once; one statement."""
    steps = await orders_store.list_order_step_names(call.work, [row.id for row in rows])
    return {row.id for row in rows if was_picked_up(row.type, steps.get(row.id, ()))}


_CONVERTED = {"status", "statuses", "late", "customer", "custom_fields", "driver_id", "weekday", "hour", "without"}
_OF_ATTEMPTS = {"failed_from", "failed_to", "failure_reason"}
_AS_THEY_ARE = frozenset(OrderFilters.model_fields) - _CONVERTED - _OF_ATTEMPTS


async def list_filters(call: Call, request: OrderFilters) -> dict[str, Any]:
    """Return the filters of a request, limited to orders that the caller may see.

    Raises `NOT_FOUND` if no customer matches.
    """
    names = [*request.statuses, *([request.status] if request.status else [])]
    return {
        **request.model_dump(include=set(_AS_THEY_ARE)),
        **await customer_filter(call, request.customer_id, request.customer),
        "status": [OrderStatus[name].value for name in names] or None,
        "late_at": call.now if request.late else None,
        **_driver_and_attempt_filters(request),
        **_rating_filters(call, request),
        **({f"without_{request.without}": True} if request.without else {}),
        "custom_fields": await read_custom_field_filters(call, ResourceKind.ORDER, request.custom_fields) or None,
        **visibility_filter(call),
    }


def sees_ratings(call: Call) -> bool:
    """Return True if the caller may read ratings: everybody but drivers."""
    return call.principal.account is not Account.DRIVER


def _rating_filters(call: Call, request: OrderFilters) -> dict[str, Any]:
    """Return the filters by rating, which match nothing for callers who see none."""
    given = {name: getattr(request, name) for name in ("rating_min", "rating_max", "rated_from")}
    hidden = not sees_ratings(call) and any(value is not None for value in given.values())
    return {**given, "rating_min": RATING_MAX + 1} if hidden else given


def _driver_and_attempt_filters(request: OrderFilters) -> dict[str, Any]:
    """Return the filters by driver, weekday, hour and failed attempt.

    With a filter by attempt, driver, weekday and hour are those of the attempt.
    """
    if not request.model_fields_set & _OF_ATTEMPTS:
        return {"route_driver_id": request.driver_id, "weekday": request.weekday, "hour": request.hour}
    wanted = AttemptFilter(
        since=request.failed_from,
        until=request.failed_to,
        reason=request.failure_reason,
        driver_id=request.driver_id,
        weekday=request.weekday,
        hour=request.hour,
    )
    return {"attempts": wanted}


ORDER_PROBLEMS_MOST = 1_000
"""Highest number that is counted."""


class OrderProblemsFound(Struct, frozen=True):
    """Number of orders that need attention, in total and by problem.

    Each at most `ORDER_PROBLEMS_MOST`.
    """

    orders: int
    by_kind: dict[OrderProblemKind, int]


async def count_order_problems(call: Call) -> OrderProblemsFound:
    """Count the orders that need attention, among those visible to the caller.

    One statement.
    """
    counts = await count_order_problem_rows(
        call.work, visibility_filter(call), now=call.now, today=call.today, most=ORDER_PROBLEMS_MOST
    )
    by_kind = {kind: min(getattr(counts, kind.value), ORDER_PROBLEMS_MOST) for kind in OrderProblemKind}
    return OrderProblemsFound(min(counts.total, ORDER_PROBLEMS_MOST), by_kind)


async def count_low_ratings(call: Call) -> int:
    """Count the low ratings of the last days.

    Staff handle them, so other callers get none.
    """
    if call.principal.account not in OFFICE:
        return 0
    return await lists_store.count_low_ratings(call.work, call.now - LOW_RATINGS_SHOWN_FOR)


class OrderedDelivery(Struct, frozen=True, kw_only=True):
    """An order of a local delivery."""

    id: int
    status: OrderStatus
    tracking_number: str
    piece_numbers: tuple[str, ...]
    """The tracking number of each piece; the first is that of the order."""
    name: str | None
    city: str | None
    scheduled_date: date | None
    price: dict[str, Any]
    """Its price document: `service`, `total`, `tax`, `lines`, `currency`."""
    can_be_cancelled: bool
    """By the one who asks, now."""


async def get_ordered_deliveries(call: Call, order_ids: Collection[int]) -> dict[int, OrderedDelivery]:
    """The client's orders among some ids. Three statements, however many."""
    if not order_ids:
        return {}
    rows = await orders_store.list_order_rows(call.work, order_ids)
    pieces: defaultdict[int, list[str]] = defaultdict(list)
    for package in await orders_store.list_order_package_rows(call.work, [row.id for row in rows]):
        pieces[package.order_id].append(package.tracking_number)
    collected = await find_picked_up_order_ids(call, rows)
    return {row.id: _delivery(call, row, pieces[row.id], collected=row.id in collected) for row in rows}


def _delivery(call: Call, row: orders_store.OrderRow, pieces: list[str], *, collected: bool) -> OrderedDelivery:
    status = OrderStatus(row.status)
    state = OrderState(status=status, collected=collected)
    own = call.principal.account is Account.CUSTOMER
    cancellable = may_customer_cancel(state) if own else OrderStep.CANCEL in possible_order_steps(status)
    return OrderedDelivery(
        id=row.id,
        status=status,
        tracking_number=row.tracking_number,
        piece_numbers=tuple(pieces),
        name=row.stop_name,
        city=row.stop_city,
        scheduled_date=row.scheduled_date,
        price=row.price or {},
        can_be_cancelled=cancellable,
    )
