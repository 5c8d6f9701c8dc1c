"""The postings of online payments: each has a key of its own, so that it stands in the ledger once, whatever comes again."""

from haulier.contexts.billing.events import CreditChanged
from haulier.contexts.billing.public import (
    CREDIT_INSUFFICIENT,
    AccountKey,
    AccountKind,
    MoneySubject,
    TransferKind,
    make_posting,
    post,
    top_up,
)
from haulier.contexts.payments.online_payments.store import PaymentRow
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.values.money import Money

PROVIDER = AccountKey(AccountKind.ONLINE)


def payment_money(row: PaymentRow, minor: int | None = None) -> Money:
    """The amount of a payment, or another one in its currency."""
    return Money(row.amount_minor if minor is None else minor, row.currency)


def _subject(row: PaymentRow) -> MoneySubject:
    # Why the family: the amount is the price of the order, which a statement must not tell where that is hidden.
    return MoneySubject("online_payment", row.id, PriceFamily(row.price_family) if row.price_family else None)


async def post_payment(call: Call, row: PaymentRow) -> None:
    """Put what was paid into the customer's credit."""
    key = f"payment:{row.id}:settle"
    money, subject = payment_money(row), _subject(row)
    posted = await top_up(call, row.customer_id, money, key=key, paid_into=AccountKind.ONLINE, subject=subject)
    if not posted.repeated:
        kind = TransferKind.TOP_UP.value
        await call.publish(CreditChanged(customer_id=row.customer_id, transfer_id=posted.transfer_id, reason_kind=kind))


async def take_refund(call: Call, row: PaymentRow, minor: int, key: str, *, must: bool) -> AccountKind:
    """Take money that goes back from the customer's credit; returns from which account it was taken.

    Where the credit is too small: raises `CREDIT_INSUFFICIENT`, or for what `must` be booked, since the provider has given
    it back already, the customer owes it.
    """
    try:
        await _move(call, row, minor, f"{key}:taken", AccountKind.WALLET, back=False)
    except OperationError as error:
        if not must or error.error_type is not CREDIT_INSUFFICIENT:
            raise
        await _move(call, row, minor, f"{key}:taken", AccountKind.PAYMENT_CLAIMS, back=False)
        return AccountKind.PAYMENT_CLAIMS
    return AccountKind.WALLET


async def undo_refund(call: Call, row: PaymentRow, minor: int, key: str, taken_from: AccountKind) -> None:
    """Give back what was taken for a refund that failed."""
    await _move(call, row, minor, f"{key}:back", taken_from, back=True)


async def post_dispute(call: Call, row: PaymentRow, minor: int, dispute_id: int, *, won: bool) -> None:
    """A bank has taken money back, which the customer owes from then on; or, where it was `won`, it came again."""
    key = f"payment:{row.id}:dispute:{dispute_id}:{'won' if won else 'taken'}"
    await _move(call, row, minor, key, AccountKind.PAYMENT_CLAIMS, back=won)


async def _move(call: Call, row: PaymentRow, minor: int, key: str, kind: AccountKind, *, back: bool) -> None:
    """Money goes from an account of the customer to the provider, or `back`."""
    sides = (AccountKey(kind, row.customer_id), PROVIDER)
    debit, credit = sides[::-1] if back else sides
    money = payment_money(row, minor)
    await post(call, make_posting(TransferKind.ONLINE_RETURN, key, debit, credit, money, subject=_subject(row)))
