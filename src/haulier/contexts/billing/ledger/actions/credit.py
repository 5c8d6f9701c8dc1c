"""Top-ups, corrections and limits of a customer's credit."""

from haulier.contexts.billing.ledger.actions.postings import Posted, post, wallet_of
from haulier.contexts.billing.ledger.rules import (
    CREDIT_IN_USE,
    AccountKey,
    AccountKind,
    MoneySubject,
    TransferKind,
    make_posting,
)
from haulier.contexts.billing.ledger.store import accounts as store
from haulier.kernel.call import Call
from haulier.kernel.values.money import Money


async def top_up(
    call: Call,
    customer_id: int,
    money: Money,
    *,
    key: str,
    paid_into: AccountKind = AccountKind.BANK,
    subject: MoneySubject | None = None,
    reason: str | None = None,
) -> Posted:
    """Add a customer's payment to their wallet, once per key. Raises as `post` does."""
    posting = make_posting(
        TransferKind.TOP_UP, key, AccountKey(paid_into), wallet_of(customer_id), money, subject=subject, reason=reason
    )
    return await post(call, posting)


async def adjust(call: Call, customer_id: int, money: Money, *, key: str, reason: str) -> Posted:
    """Correct a wallet by a positive or negative amount. Raises as `post` does."""
    sides = (AccountKey(AccountKind.ADJUSTMENTS), wallet_of(customer_id))
    debit, credit = sides if money.minor > 0 else sides[::-1]
    amount = Money(abs(money.minor), money.currency)
    return await post(call, make_posting(TransferKind.ADJUSTMENT, key, debit, credit, amount, reason=reason))


async def set_credit_limit(call: Call, customer_id: int, limit: Money) -> None:
    """Set a wallet's credit limit. Raises `CREDIT_IN_USE` if it is exceeded now.

    Holds count as used credit.
    """
    wallet = wallet_of(customer_id)
    await store.open_accounts(call.work, [wallet], limit.currency, call.now)
    if await store.set_floor(call.work, customer_id, limit.currency, -limit.minor):
        return
    rows = await store.list_accounts_of_owner(call.work, wallet.kind, customer_id)
    used = next(row.held_minor - row.balance_minor for row in rows if row.currency == limit.currency)
    raise CREDIT_IN_USE(used=str(Money(used, limit.currency)))
