"""Payments of invoices: allocation, reversal and paid amounts.

Every change locks the customer's terms first, so amounts are allocated one after another.
"""

from collections.abc import Sequence
from typing import Any, Literal

from msgspec import Struct

from haulier.contexts.billing.events import InvoiceChanged
from haulier.contexts.billing.invoices import store
from haulier.contexts.billing.invoices.actions.new_invoices import lock_invoice, lock_terms, reload_invoice
from haulier.contexts.billing.invoices.queries import available_credit_minor
from haulier.contexts.billing.invoices.rules import (
    INVOICE_AMOUNT_TOO_LARGE,
    INVOICE_NOT_OPEN,
    INVOICE_SUBJECT,
    InvoiceKind,
    InvoiceStatus,
)
from haulier.contexts.billing.invoices.store import InvoiceRow, left_minor
from haulier.contexts.billing.ledger.queries import is_posted
from haulier.contexts.billing.ledger.rules import CREDIT_INSUFFICIENT, MoneySubject
from haulier.contexts.billing.received_payments.actions import (
    Receipt,
    allocate_part,
    draw_credit,
    post_reversal,
    receive_payment,
    reload_payment,
    set_automatic,
    undo_allocated,
)
from haulier.contexts.billing.received_payments.queries import (
    AllocationRow,
    ReceivedPaymentRow,
    list_allocations_of_invoice,
    list_allocations_of_payments,
)
from haulier.contexts.billing.received_payments.rules import (
    PAYMENT_AMOUNT_TOO_LARGE,
    PAYMENT_CURRENCY_DIFFERS,
    PAYMENT_REVERSED,
    PaidBy,
    ReceivedPaymentStatus,
    named_first,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.money import Money

PAID_PER_RUN = 200
PaymentMethod = Literal["bank", "cash", "credit"]


class AskedAllocation(Struct, frozen=True):
    """Amount to allocate to an invoice. Without an amount, as much as possible."""

    invoice_id: int
    amount_minor: int | None = None


async def record_payment(
    call: Call, row: InvoiceRow, amount_minor: int | None, *, paid_by: PaymentMethod, reference: str
) -> InvoiceRow:
    """Record a payment and allocate it to the invoice, once per reference.

    Raises `INVOICE_NOT_OPEN`, `INVOICE_AMOUNT_TOO_LARGE`, `CREDIT_INSUFFICIENT`, and the errors of `post`.
    """
    key = f"invoice:{row.id}:{reference}"
    money = Money(amount_minor or left_minor(row), row.currency)
    if paid_by != "credit" and await is_posted(call, key):
        if amount_minor is not None:
            await _receive(call, row, money, PaidBy(paid_by), key, reference)
        return row
    _require_open(row)
    _require_left(row, money.minor)
    if paid_by != "credit":
        payment = await _receive(call, row, money, PaidBy(paid_by), key, reference)
        return await _allocate(call, payment, row, money.minor)
    spare = await available_credit_minor(call, row.customer_id, row.currency, waiting=True)
    if spare < money.minor:
        raise CREDIT_INSUFFICIENT(amount=str(money), available=str(Money(max(0, spare), row.currency)))
    return await _pay_with_credit(call, row, money.minor, waiting=True)


async def _receive(
    call: Call, row: InvoiceRow, money: Money, paid_by: PaidBy, key: str, reference: str
) -> ReceivedPaymentRow | None:
    """Record the payment of an invoice.

    Raises `LEDGER_KEY_REUSED` if a repeated one has another amount or payment method.
    """
    receipt = Receipt(key=key, reference=reference, paid_by=paid_by, subject=MoneySubject(INVOICE_SUBJECT, row.id))
    return (await receive_payment(call, row.customer_id, money, receipt, automatic=True))[1]


async def allocate_payment(
    call: Call, payment: ReceivedPaymentRow, asked: Sequence[AskedAllocation] | None
) -> ReceivedPaymentRow:
    """Allocate what is left of a payment to invoices.

    By default to the invoices that its reference names, then to the longest due ones. Raises `PAYMENT_REVERSED`,
    `PAYMENT_AMOUNT_TOO_LARGE`, `PAYMENT_CURRENCY_DIFFERS`, `INVOICE_NOT_OPEN`, `INVOICE_AMOUNT_TOO_LARGE` and
    `NOT_FOUND`.
    """
    await lock_terms(call, payment.customer_id)
    payment = await reload_payment(call, payment.id)
    if payment.status == ReceivedPaymentStatus.REVERSED:
        raise PAYMENT_REVERSED(reference=payment.reference)
    if asked is None:
        await _allocate_automatically(call, payment)
    for each in asked or ():
        row = await _lock_payable(call, payment, each.invoice_id)
        payment = await reload_payment(call, payment.id)
        left = payment.amount_minor - payment.allocated_minor
        minor = each.amount_minor or min(left, left_minor(row))
        _require_left(row, minor)
        if not left or minor > left:
            raise PAYMENT_AMOUNT_TOO_LARGE(left=str(Money(left, payment.currency)))
        await _allocate(call, payment, row, minor)
    call.add_audit_subjects("received_payment", payment.id)
    return await reload_payment(call, payment.id)


async def _allocate_automatically(call: Call, payment: ReceivedPaymentRow) -> None:
    await set_automatic(call, payment)
    rows = await store.list_open_invoices(call.work, payment.customer_id, payment.currency, PAID_PER_RUN)
    left = payment.amount_minor - payment.allocated_minor
    for place in named_first(payment.reference, [row.number for row in rows]):
        minor = min(left, left_minor(rows[place]))
        if minor > 0:
            await _allocate(call, await reload_payment(call, payment.id), rows[place], minor)
            left -= minor


async def _lock_payable(call: Call, payment: ReceivedPaymentRow, invoice_id: int) -> InvoiceRow:
    """Lock an open invoice of the payment's customer and currency."""
    row = await store.get_invoice_row(call.work, invoice_id)
    if row is None or row.customer_id != payment.customer_id:
        raise record_not_found(invoice_id=invoice_id)
    row = await lock_invoice(call, invoice_id)
    if row.currency != payment.currency:
        raise PAYMENT_CURRENCY_DIFFERS(number=row.number, currency=row.currency, paid=payment.currency)
    _require_open(row)
    return row


async def _allocate(call: Call, payment: ReceivedPaymentRow | None, row: InvoiceRow, minor: int) -> InvoiceRow:
    if payment is not None:
        await allocate_part(call, payment, row.id, minor)
    return await change_invoice(call, row, paid_minor=row.paid_minor + minor)


async def _pay_with_credit(call: Call, row: InvoiceRow, minor: int, *, waiting: bool = False) -> InvoiceRow:
    await draw_credit(call, row.customer_id, row.currency, row.id, minor, waiting=waiting)
    return await change_invoice(call, row, paid_minor=row.paid_minor + minor)


async def pay_from_credit(call: Call, customer_id: int, currency: str) -> int:
    """Pay a customer's invoices from unreserved credit, longest due first.

    Payments that wait for staff are left alone. Returns the number of invoices that received a payment.
    """
    await lock_terms(call, customer_id)
    spare, paid = await available_credit_minor(call, customer_id, currency), 0
    if spare <= 0:
        return 0
    for row in await store.list_open_invoices(call.work, customer_id, currency, PAID_PER_RUN):
        if spare <= 0:
            break
        part = min(spare, left_minor(row))
        await _pay_with_credit(call, row, part)
        spare, paid = spare - part, paid + 1
    return paid


async def undo_allocation(call: Call, allocation_id: int) -> InvoiceRow:
    """Undo an allocation and return its invoice, which is open again.

    The amount waits for staff. An undone allocation stays undone. Raises `NOT_FOUND`.
    """
    found = await AllocationRow.get(call.work, allocation_id)
    if found is None:
        raise record_not_found(allocation_id=allocation_id)
    row = await lock_invoice(call, found.invoice_id)
    locked = await AllocationRow.lock(call.work, allocation_id)
    if locked is None or locked.undone_at is not None:
        return row
    await undo_allocated(call, locked, locked.amount_minor, waits=True)
    return await change_invoice(call, row, paid_minor=row.paid_minor - locked.amount_minor)


async def reverse_payment(call: Call, payment: ReceivedPaymentRow, reason: str) -> ReceivedPaymentRow:
    """Reverse a payment and reopen its invoices.

    Raises `PAYMENT_REVERSED` and `BALANCE_OUT_OF_RANGE`.
    """
    await lock_terms(call, payment.customer_id)
    payment = await reload_payment(call, payment.id)
    if payment.status == ReceivedPaymentStatus.REVERSED:
        raise PAYMENT_REVERSED(reference=payment.reference)
    for each in (await list_allocations_of_payments(call, [payment.id]))[payment.id]:
        row = await lock_invoice(call, each.invoice_id)
        await undo_allocated(call, each, each.amount_minor, waits=True)
        await change_invoice(call, row, paid_minor=row.paid_minor - each.amount_minor)
    call.add_audit_subjects("received_payment", payment.id)
    return await post_reversal(call, payment, reason)


async def release_allocations(call: Call, row: InvoiceRow, minor: int) -> int:
    """Undo allocations to a locked invoice up to an amount, newest first.

    Returns the undone amount. The invoice is not changed.
    """
    undone = 0
    for each in reversed(await list_allocations_of_invoice(call, row.id)):
        part = min(minor - undone, each.amount_minor)
        if part <= 0:
            break
        await undo_allocated(call, each, part, waits=False)
        undone += part
    return undone


def _require_open(row: InvoiceRow) -> None:
    if row.kind != InvoiceKind.INVOICE or row.status != InvoiceStatus.OPEN:
        raise INVOICE_NOT_OPEN(number=row.number)


def _require_left(row: InvoiceRow, minor: int) -> None:
    if minor > left_minor(row):
        raise INVOICE_AMOUNT_TOO_LARGE(left=str(Money(left_minor(row), row.currency)))


async def change_invoice(call: Call, row: InvoiceRow, **amounts: int) -> InvoiceRow:
    """Update the paid or credited amounts of a locked invoice.

    An invoice without an open amount becomes paid, and one with an open amount is open again. Payments beyond what a
    credit note left to pay are credit of the customer again.
    """
    paid, credited = amounts.get("paid_minor", row.paid_minor), amounts.get("credited_minor", row.credited_minor)
    if paid + credited > row.total_minor:
        paid -= await release_allocations(call, row, paid + credited - row.total_minor)
    values: dict[str, Any] = {"paid_minor": paid, "credited_minor": credited}
    is_open = paid + credited < row.total_minor
    if is_open and row.status == InvoiceStatus.PAID:
        values |= {"status": InvoiceStatus.OPEN.value, "paid_at": None}
    if not is_open and row.status == InvoiceStatus.OPEN:
        values |= {"status": InvoiceStatus.PAID.value, "paid_at": call.now}
    return await publish_changed(call, row, values)


async def publish_changed(call: Call, row: InvoiceRow, values: dict[str, Any]) -> InvoiceRow:
    """Update an invoice and publish `InvoiceChanged`."""
    await store.update_invoice(call.work, row.id, values)
    call.add_audit_subjects("invoice", row.id)
    status = values.get("status", row.status)
    await call.publish(InvoiceChanged(invoice_id=row.id, customer_id=row.customer_id, status=status))
    return await reload_invoice(call, row.id)
