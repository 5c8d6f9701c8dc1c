"""Charges are given back, with the credit note of the invoice that asks for them, in the caller's transaction."""

from haulier.contexts.billing.invoices.actions.credit_notes import InvoiceRow, credit_refund, lock_billing
from haulier.contexts.billing.ledger.actions.postings import (
    LockedCharge,
    Refund,
    find_refund,
    lock_refundable,
    post_refund,
)
from haulier.contexts.billing.ledger.queries import find_payer
from haulier.kernel.call import Call
from haulier.kernel.values.money import Money


async def refund(
    call: Call, transfer_id: int, money: Money | None = None, *, key: str, reason: str | None = None
) -> Refund:
    """Give back what is left of a charge, a capture or a carrier's cost, or exactly an amount; once for each key.

    Raises `NOT_FOUND` for anything else, `REFUND_TOO_MUCH` where less is left, and as `post` does.
    """
    charge, invoice = await _lock(call, transfer_id)
    return await _refund(call, charge, invoice, money, key=key, reason=reason)


async def give_back(
    call: Call, transfer_id: int, money: Money | None = None, *, key: str, reason: str | None = None
) -> int:
    """Give back what is left of a charge, or at most an amount; once for each key.

    Returns the amount in minor units: 0 where refunds and credit notes left nothing. Raises `NOT_FOUND`, and as `post` does.
    """
    charge, invoice = await _lock(call, transfer_id)
    if before := await find_refund(call, transfer_id, key):
        return before.minor
    minor = charge.left_minor if money is None else min(charge.left_minor, money.minor)
    if minor <= 0:
        return 0
    return (await _refund(call, charge, invoice, Money(minor, charge.currency), key=key, reason=reason)).minor


async def lock_left(call: Call, transfer_id: int) -> int:
    """Lock a charge and return what can still be given back of it, in minor units. Raises `NOT_FOUND`."""
    charge, _ = await _lock(call, transfer_id)
    return charge.left_minor


async def _lock(call: Call, transfer_id: int) -> tuple[LockedCharge, InvoiceRow | None]:
    """Lock a charge and the invoice that asks for it; in the order in which credit notes lock them."""
    payer_id = await find_payer(call, transfer_id)
    invoice = None if payer_id is None else await lock_billing(call, payer_id, transfer_id)
    return await lock_refundable(call, transfer_id), invoice


async def _refund(
    call: Call, charge: LockedCharge, invoice: InvoiceRow | None, money: Money | None, *, key: str, reason: str | None
) -> Refund:
    refunded = await post_refund(call, charge, money, key=key, reason=reason)
    if invoice is not None and not refunded.repeated:
        await credit_refund(call, invoice, charge.id, refunded, reason)
    return refunded
