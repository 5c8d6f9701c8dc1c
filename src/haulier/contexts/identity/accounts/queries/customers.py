"""Customers, for the families and contexts that look one up as people speak of them."""

from collections.abc import Sequence

from haulier.contexts.identity.accounts.store import customers as store
from haulier.contexts.identity.accounts.store.customers import CustomerRow as CustomerRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, record_not_found

MAX_MEANT = 50
"""So many customers may be meant by one text that narrows another list."""


async def find_customers(
    call: Call, text: str | None, *, limit: int, offset: int = 0
) -> tuple[int, Sequence[CustomerRow]]:
    """How many customers of the client a text means, and a page of them by name."""
    return await store.list_customer_rows(call.work, text, limit=limit, offset=offset)


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
