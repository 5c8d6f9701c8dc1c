"""Customers, for the families and contexts that look one up as people speak of them."""

from collections.abc import Sequence

from haulier.contexts.custom_fields.public import FilterPlan, ResourceKind, list_matching_records
from haulier.contexts.identity.accounts.queries.users import require_customer
from haulier.contexts.identity.accounts.store import customers as store
from haulier.contexts.identity.accounts.store.customers import CustomerRow as CustomerRow
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, record_not_found

MAX_MEANT = 50
"""So many customers may be meant by one text that narrows another list."""


async def find_customers(
    call: Call, text: str | None, *, limit: int, offset: int = 0, by_fields: FilterPlan | None = None
) -> tuple[int, Sequence[CustomerRow]]:
    """How many customers of the client a text means whom filters by custom fields fit, and a page of them by name."""
    # Why apart: users are found before their client is known, so a distributed database keeps them elsewhere than keys.
    among = await list_matching_records(call, ResourceKind.CUSTOMER, by_fields) if by_fields else None
    return await store.list_customer_rows(call.work, text, limit=limit, offset=offset, among=among)


async def list_customers_after(
    call: Call, text: str | None, *, after: int, limit: int, by_fields: FilterPlan | None = None
) -> Sequence[CustomerRow]:
    """Customers as `find_customers` finds them, with ids above one, by id."""
    among = await list_matching_records(call, ResourceKind.CUSTOMER, by_fields) if by_fields else None
    return await store.list_customer_rows_after(call.work, text, after=after, limit=limit, among=among)


async def require_customer_ids(call: Call, text: str) -> list[int]:
    """The ids of the customers whom a filter `customer` means.

    Raises `NOT_FOUND` where it means nobody, so that no order is not taken for no customer; `INVALID_REQUEST` where it
    means too many.
    """
    total, rows = await find_customers(call, text, limit=MAX_MEANT)
    if not rows:
        raise record_not_found(customer=text)
    if total > MAX_MEANT:
        raise INVALID_REQUEST.for_fields(FieldError("customer", "field.too_many_customers", {"count": total}))
    return [row.id for row in rows]


def is_customer(call: Call) -> bool:
    """Whether a customer asks, who sees and does what is their own."""
    return call.principal.account is Account.CUSTOMER


async def customer_meant(call: Call, customer_id: int | None) -> int:
    """For whom a call is that customers make for themselves, and the office for any of them.

    Raises `INVALID_REQUEST` where a customer names another or the office nobody, `NOT_FOUND` and `NOT_A_CUSTOMER`.
    """
    if is_customer(call):
        if customer_id not in (None, call.actor):
            raise INVALID_REQUEST.for_fields(FieldError("customer_id", "field.customer_not_yours"))
        return call.actor or 0
    if customer_id is None:
        raise INVALID_REQUEST.for_fields(FieldError("customer_id", "field.missing"))
    return (await require_customer(call.work, customer_id)).id
