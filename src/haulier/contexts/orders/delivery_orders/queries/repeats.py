"""Requests whose reference an order has already: repeats of the request that made it, or other ones."""

from collections.abc import Mapping

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder
from haulier.contexts.orders.delivery_orders.queries.order_requests import order_as_request
from haulier.contexts.orders.delivery_orders.rules.order_days import with_order_day
from haulier.contexts.orders.delivery_orders.rules.repeats import differing_fields, request_digest
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account

OwnerRef = tuple[int | None, str]
"""What names an order: its customer, None for nobody's, and their reference."""


class Repeat(Struct, frozen=True):
    """The order that has the reference of a request, and the fields in which the request is another one."""

    row: store.OrderRow
    fields: list[str]


def owner_ref(call: Call, request: CreateOrder) -> OwnerRef | None:
    """What a new order would be named by; None without a reference."""
    customer_id = call.actor if call.principal.account is Account.CUSTOMER else request.customer_id
    return (customer_id, request.order_ref) if request.order_ref else None


async def find_repeats(call: Call, requests: Mapping[int, CreateOrder]) -> dict[int, Repeat]:
    """The requests, by index, whose reference an order has; in at most three statements.

    The request that made an order is a repeat whatever became of the order since. Any other request is one if it asks for
    what the order is now.
    """
    named = {index: ref for index, request in requests.items() if (ref := owner_ref(call, request))}
    existing = await store.list_order_rows_by_owner_refs(call.work, named.values())
    rows = {(row.customer_id, row.order_ref): row for row in existing}
    found = {index: row for index, ref in named.items() if (row := rows.get(ref))}
    odd = {index: row for index, row in found.items() if not _made(requests[index], row)}
    packages = await store.list_order_package_rows(call.work, {row.id for row in odd.values()}) if odd else []
    return {
        index: Repeat(
            row,
            differing_fields(
                with_order_day(requests[index], call.time_zone),
                order_as_request(row, [each for each in packages if each.order_id == row.id]),
            )
            if index in odd
            else [],
        )
        for index, row in found.items()
    }


def _made(request: CreateOrder, row: store.OrderRow) -> bool:
    """Whether this request made the order, as far as is known: of orders of earlier versions nothing is."""
    return row.request_digest is None or bytes(row.request_digest) == request_digest(request)
