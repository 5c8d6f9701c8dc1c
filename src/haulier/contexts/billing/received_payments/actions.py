"""Record payments and draw credit for invoices. The customer's terms are locked."""

from datetime import date
from typing import Any

from msgspec import Struct

from haulier.contexts.billing.events import CreditChanged
from haulier.contexts.billing.ledger.actions import Posted, naming_reference, post, top_up, wallet_of
from haulier.contexts.billing.ledger.rules import (
    LEDGER_KEY_REUSED,
    AccountKey,
    MoneySubject,
    TransferKind,
    make_posting,
)
from haulier.contexts.billing.received_payments import store
from haulier.contexts.billing.received_payments.rules import PAID_INTO, PaidBy, ReceivedPaymentStatus
from haulier.contexts.billing.received_payments.store import AllocationRow, ReceivedPaymentRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.money import Money


class Receipt(Struct, frozen=True, kw_only=True):
    """Payment that a customer made."""

    key: str
    """Key of its transfer."""
    reference: str
    paid_by: PaidBy
    received_on: date | None = None
    """Day of receipt. By default today."""
    reason: str | None = None
    subject: MoneySubject | None = None
    asked: list[dict[str, Any]] | None = None
    """Requested allocations, to compare repeated requests."""


async def receive_payment(
    call: Call, customer_id: int, money: Money, receipt: Receipt, *, automatic: bool
) -> tuple[Posted, ReceivedPaymentRow | None]:
    """Record a payment and add it to the customer's credit, once per key.

    `automatic` lets what is left of it pay later invoices.

    Returns no payment for a repeated transfer that was posted before payments were recorded. Raises
    `LEDGER_KEY_REUSED` and `BALANCE_OUT_OF_RANGE`.
    """
    with naming_reference(receipt.reference):
        posted = await top_up(
            call,
            customer_id,
            money,
            key=receipt.key,
            paid_into=PAID_INTO[receipt.paid_by],
            subject=receipt.subject,
            reason=receipt.reason,
        )
    if posted.repeated:
        return posted, await _find_repeated(call, posted.transfer_id, receipt)
    payment_id = await ReceivedPaymentRow.insert(
        call.work,
        transfer_id=posted.transfer_id,
        customer_id=customer_id,
        currency=money.currency,
        amount_minor=money.minor,
        allocated_minor=0,
        status=ReceivedPaymentStatus.UNALLOCATED.value,
        paid_by=receipt.paid_by.value,
        reference=receipt.reference,
        received_on=receipt.received_on or call.today,
        automatic=automatic,
        asked=receipt.asked,
        reason=receipt.reason,
        created_at=call.now,
        created_by=call.actor,
    )
    await _publish_credit(call, customer_id, posted, TransferKind.TOP_UP)
    return posted, await reload_payment(call, payment_id)


async def _find_repeated(call: Call, transfer_id: int, receipt: Receipt) -> ReceivedPaymentRow | None:
    """Return the payment of a repeated request.

    Raises `LEDGER_KEY_REUSED` if it asks for something else.
    """
    row = await store.find_payment_of_transfer(call.work, transfer_id)
    if row is not None:
        same_day = receipt.received_on in (None, row.received_on)
        if not same_day or receipt.asked != row.asked:
            raise LEDGER_KEY_REUSED(key=receipt.reference)
    return row


async def _publish_credit(call: Call, customer_id: int, posted: Posted, kind: TransferKind) -> None:
    news = CreditChanged(customer_id=customer_id, transfer_id=posted.transfer_id, reason_kind=kind.value)
    await call.publish(news)


async def reload_payment(call: Call, payment_id: int) -> ReceivedPaymentRow:
    """Return the current state of a payment. Raises `NOT_FOUND`."""
    row = await ReceivedPaymentRow.lock(call.work, payment_id)
    if row is None:
        raise record_not_found(payment_id=payment_id)
    return row


async def draw_credit(
    call: Call, customer_id: int, currency: str, invoice_id: int, minor: int, *, waiting: bool = False
) -> None:
    """Allocate credit of a customer to an invoice.

    Draws on unallocated payments, oldest first, then on other credit. `waiting` also draws on payments that wait for
    staff. The caller has checked that the credit is available.
    """
    for payment in await store.list_unallocated(call.work, customer_id, currency):
        part = min(minor, payment.amount_minor - payment.allocated_minor) if payment.automatic or waiting else 0
        if part > 0:
            await allocate_part(call, payment, invoice_id, part)
            minor -= part
    if minor:
        await allocate_part(call, None, invoice_id, minor)


async def allocate_part(call: Call, payment: ReceivedPaymentRow | None, invoice_id: int, minor: int) -> None:
    """Allocate an amount of a locked payment, or of other credit, to an invoice.

    The payment has to be loaded again before its next change.
    """
    await store.insert_allocation(call.work, payment, invoice_id, minor, at=call.now, by=call.actor)


async def set_automatic(call: Call, payment: ReceivedPaymentRow) -> None:
    """Let the unallocated amount of a payment pay later invoices."""
    await ReceivedPaymentRow.update(call.work, payment.id, {"automatic": True})


async def undo_allocated(call: Call, row: AllocationRow, minor: int, *, waits: bool) -> None:
    """Undo all or part of an allocation.

    With `waits`, the amount waits for staff instead of paying other invoices automatically.
    """
    await AllocationRow.update(call.work, row.id, {"undone_at": call.now, "undone_by": call.actor})
    payment = await ReceivedPaymentRow.lock(call.work, row.payment_id) if row.payment_id else None
    if payment is not None:
        await store.add_allocated(call.work, payment, -row.amount_minor, **({"automatic": False} if waits else {}))
        payment = await reload_payment(call, payment.id)
    if rest := row.amount_minor - minor:
        await allocate_part(call, payment, row.invoice_id, rest)


async def post_reversal(call: Call, payment: ReceivedPaymentRow, reason: str) -> ReceivedPaymentRow:
    """Take a payment without allocations back from the customer's credit."""
    posting = make_posting(
        TransferKind.PAYMENT_REVERSAL,
        f"received_payment:{payment.id}:reversed",
        wallet_of(payment.customer_id),
        AccountKey(PAID_INTO[PaidBy(payment.paid_by)]),
        Money(payment.amount_minor, payment.currency),
        reason=reason,
    )
    posted = await post(call, posting, beyond_limit=True)
    values = {"status": ReceivedPaymentStatus.REVERSED.value, "reversed_at": call.now, "reversal_reason": reason}
    await ReceivedPaymentRow.update(call.work, payment.id, values)
    await _publish_credit(call, payment.customer_id, posted, TransferKind.PAYMENT_REVERSAL)
    return await reload_payment(call, payment.id)
