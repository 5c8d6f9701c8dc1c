"""Money is moved, given back and adjusted."""

from collections.abc import Sequence

from msgspec import Struct

from haulier.contexts.billing.ledger.rules import (
    BALANCE_MAX,
    BALANCE_OUT_OF_RANGE,
    CREDIT_INSUFFICIENT,
    LEDGER_KEY_REUSED,
    REFUND_TOO_MUCH,
    REFUNDABLE,
    AccountKey,
    AccountKind,
    MoneySubject,
    Posting,
    TransferKind,
    make_posting,
)
from haulier.contexts.billing.ledger.store import accounts as account_store
from haulier.contexts.billing.ledger.store import postings as store
from haulier.contexts.billing.ledger.store.tables import AccountRow, TransferRow, subject_of
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import TransactionRetry
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.money import Money

ATTEMPTS = 5
"""A posting that is refused for a reason that is gone when it is looked for is tried again so often."""


class Posted(Struct, frozen=True, kw_only=True):
    """A transfer that stands in the ledger."""

    transfer_id: int
    repeated: bool
    """It stood there before: the same was asked for under the same key."""


async def post(call: Call, posting: Posting, *, released: int = 0) -> Posted:
    """Move money once for each key, within the caller's transaction. Accounts are opened when they are first used.

    Raises `LEDGER_KEY_REUSED` where the key stands for something else, `CREDIT_INSUFFICIENT` where a wallet has less than that,
    `BALANCE_OUT_OF_RANGE` and `REFUND_TOO_MUCH`. Nothing is written then, and the caller's transaction can go on.
    """
    for _ in range(ATTEMPTS):
        inserted = await store.insert_posting(call.work, posting, at=call.now, by=call.actor, released=released)
        if inserted is not None:
            return Posted(transfer_id=inserted, repeated=False)
        if before := await find_repeated(call, posting):
            return before
        found = await store.list_accounts_of_posting(call.work, posting)
        if len(found) < len(sides := (posting.debit, posting.credit)):
            await account_store.open_accounts(call.work, sides, posting.money.currency, call.now)
        elif refusal := await _refusal(call, posting, found, released):
            raise refusal
        # Why again: what stood in the way is gone, by a call that ended in between.
    raise TransactionRetry("the accounts change faster than they are read")


async def find_repeated(call: Call, posting: Posting) -> Posted | None:
    """The transfer that stands under the key of a posting, or None. Raises `LEDGER_KEY_REUSED` where it says something else."""
    before = await store.get_transfer_by_key(call.work, posting.key)
    if before is None:
        return None
    if before.digest != posting.digest:
        raise LEDGER_KEY_REUSED(key=posting.key)
    return Posted(transfer_id=before.id, repeated=True)


async def _refusal(call: Call, posting: Posting, found: Sequence[AccountRow], released: int) -> Exception | None:
    """Why a posting was not written; None where nothing stands in its way now."""
    money = posting.money
    debit, credit = sorted(found, key=lambda account: account.kind != posting.debit.kind)
    free = debit.balance_minor - debit.held_minor + released
    if debit.floor_minor is not None and free - money.minor < debit.floor_minor:
        return insufficient(debit, money)
    if debit.balance_minor - money.minor < -BALANCE_MAX or credit.balance_minor + money.minor > BALANCE_MAX:
        return BALANCE_OUT_OF_RANGE(amount=str(money))
    if posting.refund_of is not None:
        given = await store.get_transfer(call.work, posting.refund_of)
        if given is None or money.minor > await _left(call, given):
            return REFUND_TOO_MUCH(transfer_id=posting.refund_of)
    return None


def insufficient(wallet: AccountRow, money: Money) -> Exception:
    """`CREDIT_INSUFFICIENT` with what can be spent of a wallet."""
    available = wallet.balance_minor - wallet.held_minor - (wallet.floor_minor or 0)
    return CREDIT_INSUFFICIENT(amount=str(money), available=str(Money(available, money.currency)))


def wallet_of(customer_id: int) -> AccountKey:
    """A customer's wallet."""
    return AccountKey(AccountKind.WALLET, customer_id)


async def charge(
    call: Call,
    customer_id: int,
    money: Money,
    *,
    key: str,
    subject: MoneySubject,
    to: AccountKind = AccountKind.REVENUE,
    reason: str | None = None,
) -> Posted:
    """Take money from a customer's wallet, all of it or nothing. Raises as `post` does."""
    return await post(
        call,
        make_posting(
            TransferKind.CHARGE, key, wallet_of(customer_id), AccountKey(to), money, subject=subject, reason=reason
        ),
    )


async def refund(
    call: Call, transfer_id: int, money: Money | None = None, *, key: str, reason: str | None = None
) -> Posted:
    """Give back a charge, a capture or a carrier's cost: what is left of it, or a part; never more than it was, in all.

    Raises `NOT_FOUND` for anything else, `REFUND_TOO_MUCH`, and as `post` does.
    """
    given = await store.get_transfer(call.work, transfer_id, lock=True)
    if given is None or given.kind not in REFUNDABLE:
        raise record_not_found(transfer_id=transfer_id)
    before = await store.get_transfer_by_key(call.work, key)
    if money is None:
        money = Money(before.amount_minor if before else await _left(call, given), given.currency)
    if not money.minor or money.currency != given.currency:
        raise REFUND_TOO_MUCH(transfer_id=transfer_id)
    debit, credit = await account_store.get_account_keys(call.work, given.credit_account_id, given.debit_account_id)
    subject = subject_of(given)
    posting = make_posting(
        TransferKind.REFUND, key, debit, credit, money, subject=subject, reason=reason, refund_of=transfer_id
    )
    return await post(call, posting)


async def _left(call: Call, given: TransferRow) -> int:
    """What was not given back yet of a transfer."""
    return given.amount_minor - await store.sum_of_refunds(call.work, given.id)


async def record_carrier_cost(call: Call, money: Money, *, key: str, subject: MoneySubject) -> Posted:
    """Record what a carrier will ask for, such as a label that was bought. `refund` takes it back when it is voided."""
    costs, payable = AccountKey(AccountKind.CARRIER_COSTS), AccountKey(AccountKind.CARRIER_PAYABLE)
    return await post(call, make_posting(TransferKind.CARRIER_COST, key, costs, payable, money, subject=subject))
