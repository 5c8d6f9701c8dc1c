"""Payment and voiding of locked invoices within the caller's transaction."""

from typing import Any, Literal

from haulier.contexts.billing.events import CreditChanged, InvoiceChanged
from haulier.contexts.billing.invoices.actions.locks import lock_terms, reload_invoice
from haulier.contexts.billing.invoices.rules.invoices import (
    INVOICE_AMOUNT_TOO_LARGE,
    INVOICE_NOT_LATEST,
    INVOICE_NOT_OPEN,
    INVOICE_SUBJECT,
    InvoiceKind,
    InvoiceStatus,
)
from haulier.contexts.billing.invoices.store import invoices as store
from haulier.contexts.billing.invoices.store.invoices import left_minor
from haulier.contexts.billing.invoices.store.tables import InvoiceRow
from haulier.contexts.billing.ledger.actions.credit import top_up
from haulier.contexts.billing.ledger.queries import get_wallet, is_posted
from haulier.contexts.billing.ledger.rules import (
    CREDIT_INSUFFICIENT,
    AccountKind,
    MoneySubject,
    TransferKind,
)
from haulier.contexts.documents.public import withdraw_document_of
from haulier.kernel.call import Call
from haulier.kernel.values.money import Money

SETTLED_AT_ONCE = 200
PAID_INTO = {"bank": AccountKind.BANK, "cash": AccountKind.CASH}
Way = Literal["bank", "cash", "credit"]


async def record_payment(
    call: Call, row: InvoiceRow, amount_minor: int | None, *, paid_by: Way, reference: str
) -> InvoiceRow:
    """Credit a payment to the customer and apply it to the invoice.

    Each reference is counted once. Raises `INVOICE_NOT_OPEN`, `INVOICE_AMOUNT_TOO_LARGE`, `CREDIT_INSUFFICIENT`, and
    the errors of `post`.
    """
    key = f"invoice:{row.id}:{reference}"
    money = Money(amount_minor or left_minor(row), row.currency)
    if paid_by != "credit" and await is_posted(call, key):
        return await _repeated(call, row, amount_minor, paid_by=paid_by, key=key)
    _require_open(row)
    if money.minor > left_minor(row):
        raise INVOICE_AMOUNT_TOO_LARGE(left=str(Money(left_minor(row), row.currency)))
    if paid_by == "credit":
        spare = await _spare_minor(call, row.customer_id, row.currency)
        if spare < money.minor:
            raise CREDIT_INSUFFICIENT(amount=str(money), available=str(Money(max(0, spare), row.currency)))
    else:
        await _take_in(call, row, money, paid_by=paid_by, key=key)
    return await change_invoice(call, row, paid_minor=row.paid_minor + money.minor)


async def _take_in(call: Call, row: InvoiceRow, money: Money, *, paid_by: Way, key: str) -> None:
    subject = MoneySubject(INVOICE_SUBJECT, row.id)
    posted = await top_up(call, row.customer_id, money, key=key, subject=subject, paid_into=PAID_INTO[paid_by])
    if not posted.repeated:
        kind = TransferKind.TOP_UP.value
        news = CreditChanged(customer_id=row.customer_id, transfer_id=posted.transfer_id, reason_kind=kind)
        await call.publish(news)


async def _repeated(call: Call, row: InvoiceRow, amount_minor: int | None, *, paid_by: Way, key: str) -> InvoiceRow:
    """Return the invoice of a payment that is already counted.

    Raises `LEDGER_KEY_REUSED` if the amount or payment method differs.
    """
    if amount_minor is not None:
        await _take_in(call, row, Money(amount_minor, row.currency), paid_by=paid_by, key=key)
    return row


async def settle_from_credit(call: Call, customer_id: int, currency: str) -> int:
    """Pay a customer's invoices from unreserved credit, longest due first.

    Returns the number of invoices that received a payment.
    """
    await lock_terms(call, customer_id)
    spare, paid = await _spare_minor(call, customer_id, currency), 0
    if spare <= 0:
        return 0
    for row in await store.list_open_invoices(call.work, customer_id, currency, SETTLED_AT_ONCE):
        if spare <= 0:
            break
        part = min(spare, left_minor(row))
        await change_invoice(call, row, paid_minor=row.paid_minor + part)
        spare, paid = spare - part, paid + 1
    return paid


async def _spare_minor(call: Call, customer_id: int, currency: str) -> int:
    """Return the credit available for open invoices: the balance plus open amounts.

    The wallet was already charged for the invoices.
    """
    wallet = await get_wallet(call, customer_id, currency)
    open_minor = await store.sum_open_invoices(call.work, customer_id, currency)
    return (wallet.balance_minor if wallet else 0) + open_minor


async def void_invoice(call: Call, row: InvoiceRow, reason: str) -> InvoiceRow:
    """Void an unpaid invoice and revoke its document.

    The number remains in use and the charges move to the next invoice. Raises `INVOICE_NOT_OPEN`, also if something
    was paid or credited, and `INVOICE_NOT_LATEST`.
    """
    untouched = row.paid_minor == row.covered_minor and not row.credited_minor
    if row.kind != InvoiceKind.INVOICE or row.status == InvoiceStatus.VOID or not untouched:
        raise INVOICE_NOT_OPEN(number=row.number)
    latest = await store.get_latest_invoice(call.work, row.customer_id, row.currency)
    if latest is None or latest.id != row.id:
        raise INVOICE_NOT_LATEST(number=row.number)
    if row.document_id is not None:
        await withdraw_document_of(call, row.document_id, "cancelled")
    values = {"status": InvoiceStatus.VOID.value, "voided_at": call.now, "reason": reason, "paid_at": None}
    return await _announce(call, row, values)


def _require_open(row: InvoiceRow) -> None:
    if row.kind != InvoiceKind.INVOICE or row.status != InvoiceStatus.OPEN:
        raise INVOICE_NOT_OPEN(number=row.number)


async def change_invoice(call: Call, row: InvoiceRow, **amounts: int) -> InvoiceRow:
    """Update the paid or credited amounts of a locked invoice.

    An invoice without an open amount becomes paid.
    """
    paid, credited = amounts.get("paid_minor", row.paid_minor), amounts.get("credited_minor", row.credited_minor)
    values: dict[str, Any] = dict(amounts)
    if paid + credited >= row.total_minor and row.status == InvoiceStatus.OPEN:
        values |= {"status": InvoiceStatus.PAID.value, "paid_at": call.now}
    return await _announce(call, row, values)


async def _announce(call: Call, row: InvoiceRow, values: dict[str, Any]) -> InvoiceRow:
    await store.update_invoice(call.work, row.id, values)
    call.add_audit_subjects("invoice", row.id)
    status = values.get("status", row.status)
    await call.publish(InvoiceChanged(invoice_id=row.id, customer_id=row.customer_id, status=status))
    return await reload_invoice(call, row.id)
