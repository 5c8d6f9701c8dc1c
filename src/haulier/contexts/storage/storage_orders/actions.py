"""Orders for storage are made, and take their steps."""

from datetime import timedelta
from typing import Any

from msgspec import to_builtins

from haulier.contexts.storage.events import StorageOrderChanged
from haulier.contexts.storage.storage_orders.actions.quotes import get_own_quote, require_in_force
from haulier.contexts.storage.storage_orders.contract.orders import CreateStorageOrder, StorageWish
from haulier.contexts.storage.storage_orders.queries.tariffs import price_wish, read_terms, wished_stays
from haulier.contexts.storage.storage_orders.rules.lifecycle import (
    StorageOrderStatus,
    StorageOrderStep,
    next_storage_status,
)
from haulier.contexts.storage.storage_orders.rules.prices import price_of_stays
from haulier.contexts.storage.storage_orders.store import orders as store
from haulier.contexts.storage.storage_orders.store.orders import StorageChargeRow, StorageOrderRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.errors import CONFLICT, record_not_found

BOOKING, PERIOD = "booking", "period"


async def create_order(call: Call, request: CreateStorageOrder) -> tuple[StorageOrderRow, bool]:
    """Make an order of a quote or of a wish. Returns it, and whether it was there: a quote makes one order.

    Raises `NOT_FOUND`, `STORAGE_QUOTE_EXPIRED`, and `INVALID_REQUEST` for a day that is over.
    """
    if request.quote_id is None:
        assert request.storage is not None  # the request's own validator requires it
        priced = await price_wish(call, request.storage, at="storage.")
        values = _order_values(
            request.storage, priced.service.service_code, priced.service.name, to_builtins(priced.terms)
        )
        return await _insert(call, request, values | {"price_minor": priced.price_minor}), False
    quote = await get_own_quote(call, request.quote_id)
    if before := await StorageOrderRow.find_by(call.work, quote_id=quote.id):
        return before, True
    values = _order_values(require_in_force(call, quote), quote.service_code, quote.service_name, quote.terms)
    try:
        async with call.savepoint():
            return await _insert(call, request, values | {"price_minor": quote.price_minor}), False
    except UniqueConflict:
        made = await StorageOrderRow.find_by(call.work, quote_id=quote.id)
        if made is None:
            raise CONFLICT() from None
        return made, True


def _order_values(wish: StorageWish, code: str, name: str, terms: dict[str, Any]) -> dict[str, Any]:
    until = wish.start_date + timedelta(days=wish.days)
    tariff = read_terms(terms)
    return {
        "service_code": code,
        "service_name": name,
        "terms": terms,
        "currency": tariff.currency,
        "packages": wish.count,
        "start_date": wish.start_date,
        "end_date": until,
        "stored_minor": price_of_stays(tariff, wished_stays(wish), until),
    }


async def _insert(call: Call, request: CreateStorageOrder, values: dict[str, Any]) -> StorageOrderRow:
    storage_order_id = await StorageOrderRow.insert(
        call.work,
        **values,
        customer_id=call.actor or 0,
        status=StorageOrderStatus.PENDING.value,
        quote_id=request.quote_id,
        order_ref=request.order_ref,
        note=request.note,
        owed_minor=values["price_minor"],
        paid_minor=0,
        payments=0,
        created_at=call.now,
    )
    await StorageChargeRow.insert(
        call.work,
        storage_order_id=storage_order_id,
        kind=BOOKING,
        period_start=values["start_date"],
        period_end=values["end_date"],
        amount_minor=values["price_minor"],
        created_at=call.now,
    )
    row = await require_order(call, storage_order_id)
    await announce(call, row)
    return row


async def take_step(call: Call, row: StorageOrderRow, step: StorageOrderStep, **values: Any) -> StorageOrderRow:
    """Move an order on, and change further columns. Raises `STORAGE_STEP_REFUSED`."""
    status = next_storage_status(step, row.status)
    await store.update_order(call.work, row.id, {**values, "status": status.value})
    changed = await require_order(call, row.id)
    if changed.status != row.status:
        await announce(call, changed)
    call.add_audit_subjects("storage_order", row.id)
    return changed


async def announce(call: Call, row: StorageOrderRow) -> None:
    """Tell that an order was made or has another status."""
    call.add_audit_subjects("storage_order", row.id)
    await call.publish(StorageOrderChanged(storage_order_id=row.id, customer_id=row.customer_id, status=row.status))


async def require_order(call: Call, storage_order_id: int) -> StorageOrderRow:
    """An order as it is now. Raises `NOT_FOUND`."""
    row = await StorageOrderRow.get(call.work, storage_order_id)
    if row is None:
        raise record_not_found(storage_order_id=storage_order_id)
    return row
