"""Refunds of charges, with the credit note of their invoice.

Everything is written in the caller's transaction.
"""

from haulier.contexts.billing.invoices.actions.issued_invoices import credit_refund, lock_billing
from haulier.contexts.billing.invoices.queries import InvoiceRow
from haulier.contexts.billing.ledger.actions import LockedCharge, Refund, find_refund, lock_refundable, post_refund
from haulier.contexts.billing.ledger.queries import find_payer
from haulier.kernel.call import Call
from haulier.kernel.values.money import Money
from haulier.kernel.values.rounding import divide_half_up


async def refund(
    call: Call, transfer_id: int, money: Money | None = None, *, key: str, reason: str | None = None
) -> Refund:
    """Refund the remainder of a charge, capture or carrier cost, or an exact amount.

    Each key is used once. Raises `NOT_FOUND` for other transfers, `REFUND_TOO_MUCH` if less is left, and the errors
    of `post`.
    """
    charge, invoice = await _lock(call, transfer_id)
    return await _refund(call, charge, invoice, money, key=key, reason=reason)


async def refund_remaining(
    call: Call, transfer_id: int, money: Money | None = None, *, key: str, reason: str | None = None
) -> int:
    """Return the remainder of a charge, or at most an amount, once per key.

    Returns the amount in minor units: 0 if refunds and credit notes left nothing. Raises `NOT_FOUND` and the errors
    of `post`.
    """
    charge, invoice = await _lock(call, transfer_id)
    if before := await find_refund(call, transfer_id, key):
        return before.minor
    minor = charge.left_minor if money is None else min(charge.left_minor, money.minor)
    if minor <= 0:
        return 0
    return (await _refund(call, charge, invoice, Money(minor, charge.currency), key=key, reason=reason)).minor


async def lock_refundable_minor(call: Call, transfer_id: int) -> int:
    """Lock a charge and return its refundable amount in minor units.

    Raises `NOT_FOUND`.
    """
    charge, _ = await _lock(call, transfer_id)
    return charge.left_minor


async def lock_refundable_part(
    call: Call, transfer_id: int, part_minor: int, *, before_minor: int, whole_minor: int
) -> tuple[int, int]:
    """Lock a charge and return the refundable part of its price, and the amount.

    `whole_minor` is the charged price, `before_minor` the part refunded before. They differ from amounts if taxes were
    added to the price. Amounts of consecutive parts add up to the charge. Raises `NOT_FOUND`.
    """
    charge, _ = await _lock(call, transfer_id)
    amount, left = charge.row.amount_minor, charge.left_minor
    after = divide_half_up(amount * (before_minor + part_minor), whole_minor)
    refunded = after - divide_half_up(amount * before_minor, whole_minor)
    if refunded <= left:
        return part_minor, refunded
    return min(part_minor, divide_half_up(left * whole_minor, amount)), left


async def _lock(call: Call, transfer_id: int) -> tuple[LockedCharge, InvoiceRow | None]:
    """Lock a charge and its invoice, in the same order as credit notes lock them."""
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
