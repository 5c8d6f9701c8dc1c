"""Reads of received payments and allocations."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from haulier.contexts.billing.received_payments import store
from haulier.contexts.billing.received_payments.store import AllocationRow as AllocationRow
from haulier.contexts.billing.received_payments.store import ReceivedPaymentRow as ReceivedPaymentRow
from haulier.kernel.call import Call


async def list_allocations_of_invoice(call: Call, invoice_id: int) -> Sequence[AllocationRow]:
    """Return the valid allocations to an invoice, oldest first."""
    return await store.list_allocations_of_invoice(call.work, invoice_id)


async def list_paid_by(call: Call, invoice_id: int) -> list[tuple[AllocationRow, str | None]]:
    """Return the valid allocations to an invoice with payment references."""
    found = await store.list_allocations_of_invoice(call.work, invoice_id)
    payments = await ReceivedPaymentRow.get_many(call.work, {each.payment_id for each in found if each.payment_id})
    return [(each, payments[each.payment_id].reference if each.payment_id else None) for each in found]


async def list_allocations_of_payments(call: Call, payment_ids: Collection[int]) -> dict[int, list[AllocationRow]]:
    """Return the valid allocations of payments by payment, oldest first."""
    return await store.list_allocations_of_payments(call.work, payment_ids)


async def list_payments(
    call: Call, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[ReceivedPaymentRow], int]:
    """Return a page of matching payments, newest first, and a count up to one more."""
    return await store.list_payment_rows(call.work, wanted, limit=limit, offset=offset)


async def sum_waiting(call: Call, customer_ids: Collection[int]) -> dict[tuple[int, str], int]:
    """Return amounts that wait for staff, by customer and currency."""
    return await store.sum_waiting(call.work, customer_ids)
